"""Which words moved a reading: each is left out in turn, and the drop of the label's log-odds is its weight.

Leaving out is faithful by construction, as it asks the model itself; what it misses are words that say the same twice.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hearten.reader.readings import Evidence
from hearten.system import Array

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word and where it stands."""

    turn: int
    start: int
    end: int
    text: str


def find_words(texts: Texts, most: int) -> list[Word]:
    """Return the last words of a conversation, at most so many."""
    found = [
        Word(turn, match.start(), match.end(), match.group())
        for turn, text in enumerate(texts)
        for match in _WORD.finditer(text)
    ]
    return found[-most:]


def without(texts: Texts, words: Sequence[Word]) -> Texts:
    """Return the conversation without some of its words."""
    left = list(texts)
    for word in sorted(words, key=lambda one: -one.start):
        left[word.turn] = left[word.turn][: word.start] + left[word.turn][word.end :]
    return tuple(left)


def weigh(
    texts: Texts, label: int, probabilities: Callable[[Sequence[Texts]], Array], most: int
) -> tuple[Evidence, ...]:
    """Return the words of a conversation from the weightiest for a label down."""
    found = find_words(texts, most)
    odds = log_odds(probabilities([texts, *(without(texts, [word]) for word in found)])[:, label])
    weighed = [
        Evidence(word.turn, word.start, word.end, word.text, float(odds[0] - left))
        for word, left in zip(found, odds[1:], strict=True)
    ]
    return tuple(sorted(weighed, key=lambda one: -one.weight))


def log_odds(probabilities: Array) -> Array:
    """Return the log-odds of probabilities."""
    held = np.clip(probabilities.astype(float), 1e-9, 1 - 1e-9)
    return np.asarray(np.log(held) - np.log1p(-held))
