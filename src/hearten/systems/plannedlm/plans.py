"""Plans to learn from: the label of each listener's turn, shown for some turns and hidden for the others."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hearten.dialogue import Example, Turn
from hearten.reader.model import Reader
from hearten.taxonomy import LABELS


def planned(examples: Sequence[Example], labeller: str, share: float) -> list[Example]:
    """Return the examples with a label on the given share of the listener's turns, and on no other turn."""
    labels = _labels(examples, labeller) if share else {}
    return [_planned(example, labels, share) for example in examples]


def _labels(examples: Sequence[Example], labeller: str) -> dict[str, str]:
    """Say what each listener's text does, asking a reader where no corpus says it."""
    turns = [turn for one in examples for turn in (*one.context, one.reply) if turn.role == "listener"]
    known = {turn.text: turn.label for turn in turns if turn.label in LABELS}
    unknown = list(dict.fromkeys(turn.text for turn in turns if turn.text not in known))
    if unknown:
        reader = Reader.load(None if labeller == "shipped" else Path(labeller))
        likeliest = reader.labels(unknown).argmax(axis=1)
        known |= {text: LABELS[place] for text, place in zip(unknown, likeliest, strict=True)}
    return {text: label for text, label in known.items() if label}


def _planned(example: Example, labels: dict[str, str], share: float) -> Example:
    dialogue = example.id.partition("#")[0]

    def shown(position: int, turn: Turn) -> Turn:
        is_shown = turn.role == "listener" and _draw(f"{dialogue}#{position}#{turn.text}") < share
        return replace(turn, label=labels.get(turn.text) if is_shown else None)

    *context, reply = (shown(n, turn) for n, turn in enumerate((*example.context, example.reply)))
    return replace(example, context=tuple(context), reply=reply)


def _draw(key: str) -> float:
    """Return a number from 0 to 1 that belongs to a key, so that a turn is the same in each example of its dialogue."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") / 2**32
