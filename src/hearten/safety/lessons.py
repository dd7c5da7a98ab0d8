"""The sentences that the classifier learns from, all of them our own."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hearten.data import source
from hearten.errors import UserError
from hearten.safety.classifier import CLASSES, home

LESSONS, HELD_OUT = "lessons.tsv", "heldout.tsv"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sentence and what it speaks of: a kind of crisis, or "none"."""

    kind: str
    text: str
    manner: str = "plain"
    """Whether it says so in so many words ("plain") or between the lines ("oblique")."""


def read(place: Path | None = None) -> list[Lesson]:
    """Read the lessons: a kind, a tab and a sentence on each line."""
    return [_lesson(fields) for fields in _rows((place or home()) / LESSONS, width=2)]


def read_held_out(place: Path | None = None) -> list[Lesson]:
    """Read the sentences kept for measuring: a kind, a manner and a sentence, with tabs between them."""
    return [_lesson(fields) for fields in _rows((place or home()) / HELD_OUT, width=3)]


def _rows(path: Path, width: int) -> Iterator[list[str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = line.split("\t")
        if len(fields) != width or fields[0] not in CLASSES or not all(field.strip() for field in fields):
            raise UserError(f"{path}:{number} is not a kind ({', '.join(CLASSES)}) and a sentence, with tabs between")
        yield fields


def _lesson(fields: Sequence[str]) -> Lesson:
    return Lesson(fields[0], fields[-1], *fields[1:-1])


def everyday() -> list[Lesson]:
    """Return what speakers say in the sample corpus, as lessons of what is no crisis."""
    turns = (turn for dialogue in source.dialogues("sample", "train") for turn in dialogue.turns)
    return [Lesson("none", text) for text in dict.fromkeys(turn.text for turn in turns if turn.role == "speaker")]


def digest(lessons: Sequence[Lesson]) -> str:
    """Return the SHA-256 of lessons."""
    return hashlib.sha256("\n".join(f"{one.kind}\t{one.text}" for one in lessons).encode()).hexdigest()
