"""Folded text as numbers: hashed words and their neighbours, letters within words, and what the words are about."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from tomllib import loads
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from hearten.safety.fold import sentences

BUCKETS = 1 << 15
WINDOW = 30
"""Words that are read at once; longer sentences are read in overlapping windows."""
WORDS, LETTERS, CONCEPTS, PAIRS = 0.5, 0.2, 0.5, 1.0
"""How much each kind of feature weighs."""

Floats = NDArray[np.float32]
Features = dict[int, float]


def features(plain: str) -> Features:
    """Return the buckets that a piece of text fills, as a vector of length one."""
    words = plain.replace(" . ", " ").split()
    found: Features = {}
    _add(found, "w", _neighbours(words), WORDS)
    _add(found, "c", (letters for word in words for letters in _letters(f" {word} ")), LETTERS)
    _add(found, "k", _neighbours([_concept(word) for word in words]), CONCEPTS)
    _add(found, "p", _pairs(words), PAIRS)
    length = sum(value * value for value in found.values()) ** 0.5
    return {bucket: value / length for bucket, value in found.items()}


def pieces(plain: str) -> list[str]:
    """Cut folded text into what is read at once: each sentence, each two in a row, and windows of long ones."""
    parts = [window for sentence in sentences(plain) for window in _windows(sentence.split())]
    pairs = [f"{first} {second}" for first, second in pairwise(parts) if _short(first, second)]
    return parts + pairs


def dense(rows: Sequence[Features]) -> Floats:
    """Return feature vectors as the rows of a matrix."""
    made = np.zeros((len(rows), BUCKETS), dtype=np.float32)
    for number, row in enumerate(rows):
        made[number, list(row)] = list(row.values())
    return made


def _short(first: str, second: str) -> bool:
    return first.count(" ") + second.count(" ") + 2 <= WINDOW


def _windows(words: list[str]) -> Iterator[str]:
    step = WINDOW // 2
    for start in range(0, max(1, len(words) - step), step):
        yield " ".join(words[start : start + WINDOW])


def _neighbours(words: Sequence[str]) -> Iterator[str]:
    framed = ["^", *words, "$"]
    for size in (1, 2, 3):
        for start in range(len(framed) - size + 1):
            yield " ".join(framed[start : start + size])


def _letters(word: str) -> Iterator[str]:
    for size in (3, 4, 5):
        for start in range(len(word) - size + 1):
            yield word[start : start + size]


def _pairs(words: Sequence[str]) -> Iterator[str]:
    """Yield what a piece is about, alone and together, wherever the words stand."""
    heavy = sorted({concept for word in words for concept in _concepts("heavy", word)})
    light = sorted({concept for word in words for concept in _concepts("light", word)})
    for place, one in enumerate(heavy):
        yield one
        for other in heavy[place + 1 :] + light:
            yield f"{one} {other}"


def _concept(word: str) -> str:
    found = _concepts("heavy", word)
    return found[0].upper() if found else word


@lru_cache(maxsize=16_384)
def _concepts(table: str, word: str) -> tuple[str, ...]:
    whole, beginnings = _vocabulary(table)
    known = whole.get(word, ())
    return known + tuple(name for start, name in beginnings if word.startswith(start) and name not in known)


@cache
def _vocabulary(table: str) -> tuple[dict[str, tuple[str, ...]], tuple[tuple[str, str], ...]]:
    concepts = loads((files("hearten.safety") / "concepts.toml").read_text(encoding="utf-8"))[table]
    pairs = [(word, name) for name, words in concepts.items() for word in words.split()]
    whole: dict[str, tuple[str, ...]] = {}
    for word, name in pairs:
        if not word.endswith("*"):
            whole[word] = (*whole.get(word, ()), name)
    return whole, tuple((word[:-1], name) for word, name in pairs if word.endswith("*"))


def _add(found: Features, family: str, names: Iterator[str], weight: float) -> None:
    """Set each bucket once, however often its feature occurs; a bit of the hash is the sign, so that clashes cancel."""
    for name in names:
        code = crc32(f"{family}{name}".encode())
        found[code % BUCKETS] = weight if code & (1 << 20) else -weight
