"""Listener turns of EmpatheticDialogues, labelled by the cues of hand-labelled ones: nine labels, about 7,000 turns.

Made on this machine by `hearten data expand-intents`; see `hearten.data.expansion` for how.
"""

from collections.abc import Iterator
from pathlib import Path

from hearten.data.corpus import Problems, TextCorpus
from hearten.data.files import present_splits, table
from hearten.dialogue import Labelled
from hearten.taxonomy import BY_NAME


class ExpandedIntents(TextCorpus):
    """Turns found by the most frequent n-grams of each intent."""

    title = "Listener turns with intents found by cues"
    licence = "texts: CC BY-NC 4.0"
    citation = "Yubo Xie, Pearl Pu. Empathetic Dialog Generation with Fine-Grained Intents. CoNLL 2021 (the procedure)."
    advice = "It is made from empathetic_dialogues and empathetic_intents; run: hearten data expand-intents"

    def files(self, folder: Path) -> dict[str, Path]:
        """Map the only split to its table."""
        return present_splits(folder, {"train": "train.csv"})

    def texts(self, folder: Path, split: str, problems: Problems) -> Iterator[Labelled]:
        """Yield the turns in file order."""
        path = self.files(folder)[split]
        for line, row in table(path, ("id", "label", "utterance"), problems):
            if row["label"] in BY_NAME and row["utterance"].strip():
                yield Labelled(row["id"], row["utterance"].strip(), row["label"])
            else:
                problems.report(path, line, f"an empty utterance or the unknown label '{row['label']}'")


PLUGIN = ExpandedIntents()
