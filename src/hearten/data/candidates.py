"""Replies that a retrieval system may choose from: short, clean, and each only once."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hearten.data.files import open_text
from hearten.dialogue import Dialogue, turn_id

LONGEST = 20
TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")
# Tags, character entities, placeholders like `_comma_`, written-out escapes, and addresses.
MARKUP = re.compile(r"</?[a-zA-Z][^<]*>|&#?\w+;|_[a-z]+_|\\[nrt\"']|https?://|\bwww\.\w")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reply to choose, and where it stands: `<dialogue>#<turn>` or `<file>:<line>`."""

    id: str
    text: str


def candidates(dialogues: Iterable[Dialogue], longest: int = LONGEST) -> list[Candidate]:
    """Collect the turns of both sides that answer something, in the order of the corpus.

    The first turn of a dialogue answers nothing and is left out, as are turns of more than `longest` tokens (words and
    punctuation marks), turns with remnants of markup, and repetitions, which differ in case or blanks at most.
    """
    return _chosen(
        (
            Candidate(turn_id(dialogue, position), turn.text)
            for dialogue in dialogues
            for position, turn in enumerate(dialogue.turns)
            if position > 0
        ),
        longest,
    )


def candidates_from_file(path: Path, longest: int = LONGEST) -> list[Candidate]:
    """Collect candidates from a text file with one reply a line, by the same rules."""
    with open_text(path) as file:
        lines = (Candidate(f"{path.name}:{line}", text.strip()) for line, text in enumerate(file, start=1))
        return _chosen(lines, longest)


def _chosen(offered: Iterable[Candidate], longest: int) -> list[Candidate]:
    kept: dict[str, Candidate] = {}
    for candidate in offered:
        tokens = len(TOKEN.findall(candidate.text))
        if 0 < tokens <= longest and not MARKUP.search(candidate.text):
            kept.setdefault(" ".join(candidate.text.casefold().split()), candidate)
    return list(kept.values())
