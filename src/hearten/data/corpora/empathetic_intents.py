"""EmpatheticIntents: how listeners respond in EmpatheticDialogues, as emotions and response intents.

Welivita and Pu, COLING 2020, https://aclanthology.org/2020.coling-main.429. Splits:

- `train`, `valid`, `test`: what the authors trained their classifier on, 41 labels (situations with their emotion, and
  listener turns found by lexical cues);
- `lexical-train`, `lexical-valid`, `lexical-test`: all listener turns found by lexical cues, 9 labels;
- `manual`: 506 listener turns labelled by hand with 15 finer intents, seven of which are not among the 41.

`auto_labels` gives the label that their classifier chose for each turn of EmpatheticDialogues: automatic, not gold.
"""

from collections.abc import Iterator
from pathlib import Path

from hearten.data.corpus import LabelsTurns, Problems, TextCorpus, TurnLabels
from hearten.data.files import first_present, present_splits, table
from hearten.data.labels import read_labels
from hearten.dialogue import Labelled
from hearten.errors import UserError
from hearten.taxonomy import BY_NAME

FINE_INTENTS = {
    "advising",
    "appreciating",
    "disapproving",
    "expressing_care_concern",
    "expressing_relief",
    "sharing_experience",
    "sharing_opinions",
}
FILES = {
    "": "classifier_data.csv",
    "lexical-": "lexical_intents.csv",
}
AUTO_LABELS = "ed_auto_labels.csv"


class EmpatheticIntents(TextCorpus, LabelsTurns):
    """Listener turns with the way they respond."""

    title = "EmpatheticIntents (Welivita & Pu 2020)"
    licence = "none stated (texts: CC BY-NC 4.0)"
    citation = (
        "Anuradha Welivita, Pearl Pu. A Taxonomy of Empathetic Response Intents in Human Social Conversations. "
        "COLING 2020."
    )
    advice = (
        "Get classifier_data.csv, lexical_intents.csv, manual_annotations.csv and ed_auto_labels.csv, made from "
        "https://github.com/anuradha1992/EmpatheticIntents"
    )

    def files(self, folder: Path) -> dict[str, Path]:
        """Map each split to its table."""
        names = {f"{kind}{split}": name for kind, name in FILES.items() for split in ("train", "valid", "test")}
        return present_splits(folder, names | {"manual": "manual_annotations.csv"})

    def extras(self, folder: Path) -> list[Path]:
        """List the table of automatic labels."""
        labels = first_present(folder, AUTO_LABELS)
        return [labels] if labels else []

    def texts(self, folder: Path, split: str, problems: Problems) -> Iterator[Labelled]:
        """Yield the utterances in file order."""
        path = self.files(folder)[split]
        manual = split == "manual"
        known = BY_NAME.keys() | FINE_INTENTS if manual else BY_NAME.keys()
        for line, row in table(path, ("label", "utterance") if manual else ("split", "label", "utterance"), problems):
            if not manual and row["split"] != split.rpartition("-")[2]:
                continue
            if row["label"] not in known or not row["utterance"].strip():
                problems.report(path, line, f"an empty utterance or the unknown label '{row['label']}'")
            else:
                yield Labelled(f"{split}:{line}", row["utterance"].strip(), row["label"])

    def turn_labels(self, folder: Path, problems: Problems) -> TurnLabels:
        """Return the classifier's label for each turn of EmpatheticDialogues."""
        path = first_present(folder, AUTO_LABELS)
        if path is None:
            raise UserError(f"{folder} has no {AUTO_LABELS}, which holds the turn labels of EmpatheticDialogues")
        return read_labels(path, problems)


def auto_labels(folder: Path) -> TurnLabels:
    """Return the classifier's labels by conversation and turn number, telling of unusable rows on stderr."""
    problems = Problems()
    labels = PLUGIN.turn_labels(folder, problems)
    problems.tell()
    return labels


PLUGIN = EmpatheticIntents()
