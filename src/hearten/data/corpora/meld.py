"""MELD: scenes of the series Friends, each utterance labelled with one of seven emotions.

Poria et al., ACL 2019, https://aclanthology.org/P19-1050. Scenes have many parties: whoever speaks first is the
speaker, everybody else a listener. Emotions become the nearest of the 41 labels (`labels.BASIC_EMOTIONS`). Some
utterances are missing from the published files, so that neighbours there did not follow each other in the scene; a
remark counts the scenes concerned.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from hearten.data.corpus import DialogueCorpus, Problems
from hearten.data.files import Row, present_splits, table
from hearten.data.labels import BASIC_EMOTIONS
from hearten.dialogue import Dialogue, Role, Turn

NAMES = {"train": "train", "valid": "dev", "test": "test"}
COLUMNS = ("Utterance", "Speaker", "Emotion", "Dialogue_ID", "Utterance_ID")


class Meld(DialogueCorpus):
    """The official splits."""

    title = "MELD (Poria et al. 2019)"
    licence = "GPL-3.0"
    citation = (
        "Soujanya Poria, Devamanyu Hazarika, Navonil Majumder, Gautam Naik, Erik Cambria, Rada Mihalcea. MELD: A "
        "Multimodal Multi-Party Dataset for Emotion Recognition in Conversations. ACL 2019."
    )
    advice = "Get train_sent_emo.csv, dev_sent_emo.csv and test_sent_emo.csv from https://github.com/declare-lab/MELD"

    def files(self, folder: Path) -> dict[str, Path]:
        """Map train, valid and test to their tables."""
        return present_splits(folder, {split: f"{name}_sent_emo.csv" for split, name in NAMES.items()})

    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the scenes in file order."""
        path = self.files(folder)[split]
        gaps = 0
        for number, rows in groupby(_rows(path, problems), key=lambda row: row["Dialogue_ID"]):
            scene = list(rows)
            gaps += [row["Utterance_ID"] for row in scene] != [str(n) for n in range(len(scene))]
            yield Dialogue(f"{split}:{number}", tuple(_turn(row, scene[0]["Speaker"]) for row in scene))
        if gaps:
            problems.remark(f"{path}: {gaps} dialogues lack utterances, as published or because of malformed rows")


def _rows(path: Path, problems: Problems) -> Iterator[Row]:
    for line, row in table(path, COLUMNS, problems):
        if row["Emotion"] in BASIC_EMOTIONS and row["Utterance"].strip():
            yield row
        else:
            problems.report(path, line, f"an empty utterance or the unknown emotion '{row['Emotion']}'")


def _turn(row: Row, first: str) -> Turn:
    role: Role = "speaker" if row["Speaker"] == first else "listener"
    return Turn(role, row["Utterance"].strip(), BASIC_EMOTIONS[row["Emotion"]])


PLUGIN = Meld()
