"""Labels of turns that lie in a table of their own: `conv_id,utterance_idx,role,label`."""

from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

from hearten.data.corpus import Problems, TurnLabels
from hearten.data.files import table
from hearten.dialogue import Dialogue
from hearten.taxonomy import BY_NAME

# The seven basic emotions of DailyDialog and MELD, as the nearest of the 41 labels.
BASIC_EMOTIONS = {
    "anger": "angry",
    "disgust": "disgusted",
    "fear": "afraid",
    "happiness": "joyful",
    "joy": "joyful",
    "sadness": "sad",
    "surprise": "surprised",
    "neutral": "neutral",
}


def read_labels(path: Path, problems: Problems) -> TurnLabels:
    """Read a table of turn labels; number 0 is the situation."""
    labels: TurnLabels = {}
    for line, row in table(path, ("conv_id", "utterance_idx", "label"), problems):
        key = (row["conv_id"], int(row["utterance_idx"]) if row["utterance_idx"].isdecimal() else -1)
        if key[1] < 0:
            problems.report(path, line, f"utterance_idx '{row['utterance_idx']}' is not a number")
        elif row["label"] not in BY_NAME:
            problems.report(path, line, f"unknown label '{row['label']}'")
        elif key in labels:
            problems.report(path, line, f"a second label for turn {key[1]} of {key[0]}")
        else:
            labels[key] = row["label"]
    return labels


def with_intents(dialogues: Iterable[Dialogue], labels: TurnLabels) -> Generator[Dialogue]:
    """Yield the dialogues with their turns labelled; a turn without an entry keeps what it has."""
    for dialogue in dialogues:
        turns = tuple(
            replace(turn, label=labels.get((dialogue.id, number), turn.label))
            for number, turn in enumerate(dialogue.turns, start=1)
        )
        yield replace(dialogue, turns=turns)
