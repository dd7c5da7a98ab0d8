"""EDOS: dialogues from film subtitles, labelled with 32 emotions, 8 intents or neutral.

Welivita, Xie and Pu, EMNLP 2021, https://aclanthology.org/2021.emnlp-main.96. This is the labelled data from which the
authors grew their set of a million dialogues. The label says what the *last* turn conveys; it stands at the dialogue
and at that turn. Turns alternate between speaker and listener as the subtitles change sides. Splits:

- `mturk`: labels by people, where two of three workers agreed; rows without a majority, or with a majority for
  something outside the 41 labels, are counted in a remark. A worker's own `Annoyed (Other)` counts as `annoyed`;
- `similar`: near-duplicates of those; `self`: labelled by the authors' classifier; `similar_self`: near-duplicates.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hearten.data.corpus import DialogueCorpus, Problems
from hearten.data.files import present_splits, table
from hearten.dialogue import Dialogue, Turn
from hearten.taxonomy import BY_NAME

FILES = {
    "mturk": "mturk_labels.csv",
    "similar": "similar_to_mturk.csv",
    "self": "self_labelled.csv",
    "similar_self": "similar_to_self_labelled.csv",
}
DASHES = re.compile(r"^(- )+")
NO_MAJORITY = "-"


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a file keeps what we need."""

    name: str
    label: str
    dialogue: str


# The workers' file has some subtitle dialogues twice, so its running count names the row.
WORKERS = Columns("Count", "Agreed emotion (2/3 vote)", "Dialog")
OTHERS = Columns("os_dialog_id", "emotion", "os_dialog")


class Edos(DialogueCorpus):
    """The labelled subtitle dialogues."""

    title = "EDOS, labelled part (Welivita et al. 2021)"
    licence = "CC BY 4.0"
    citation = (
        "Anuradha Welivita, Yubo Xie, Pearl Pu. A Large-Scale Dataset for Empathetic Response Generation. EMNLP 2021."
    )
    advice = f"Get {', '.join(FILES.values())} from https://github.com/anuradha1992/EDOS"

    def files(self, folder: Path) -> dict[str, Path]:
        """Map each split to its table."""
        return present_splits(folder, FILES)

    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the labelled dialogues in file order."""
        path = self.files(folder)[split]
        columns = WORKERS if split == "mturk" else OTHERS
        undecided = outside = 0
        for line, row in table(path, (columns.name, columns.label, columns.dialogue), problems):
            label = row[columns.label].lower().removesuffix("(other)").strip()
            if label == NO_MAJORITY:
                undecided += 1
            elif label not in BY_NAME:
                outside += 1
            elif turns := _turns(row[columns.dialogue], label):
                yield Dialogue(f"{split}:{row[columns.name]}", turns, emotion=label)
            else:
                problems.report(path, line, "an empty dialogue or an empty turn in it")
        _remark(path, undecided, outside, problems)


def _turns(text: str, label: str) -> tuple[Turn, ...]:
    texts = [DASHES.sub("", turn.strip()).strip() for turn in text.split("\n")]
    if not all(texts):
        return ()
    turns = [Turn("listener" if n % 2 else "speaker", text) for n, text in enumerate(texts)]
    return (*turns[:-1], Turn(turns[-1].role, turns[-1].text, label))


def _remark(path: Path, undecided: int, outside: int, problems: Problems) -> None:
    if undecided:
        problems.remark(f"{path}: {undecided} dialogues without a majority label were left out")
    if outside:
        problems.remark(f"{path}: {outside} dialogues with a label outside the 41 were left out")


PLUGIN = Edos()
