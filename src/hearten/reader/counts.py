"""Counting words: what the words and phrases of a text say, weighed by their rarity (TF-IDF) and added up.

It knows nothing of order or meaning and errs in other places than an encoder does, so that the two together read better
than either. Needs numpy only.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from hearten.data.tokens import ngrams
from hearten.errors import UserError
from hearten.system import Array

BYTE = 127
PARTS = ("idf", "weights", "bias", "scale")


@dataclass(frozen=True, slots=True)
class Counts:
    """A linear classifier over n-grams."""

    terms: Mapping[str, int]
    idf: Array  # (terms,)
    weights: Array  # (terms, labels)
    bias: Array  # (labels,)
    scale: Array  # (labels,): what weights are multiplied by, which may be bytes
    longest: int = field(init=False)
    """How many words the longest n-gram has."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "longest", max((term.count(" ") + 1 for term in self.terms), default=1))

    def logits(self, texts: Sequence[Sequence[str]]) -> Array:
        """Return what texts, given as their words, say for each label. (texts, labels)"""
        found = [self._logits(list(text)) for text in texts]
        return np.stack(found) if found else np.zeros((0, len(self.bias)))

    def _logits(self, text: list[str]) -> Array:
        counts = Counter(term for term in ngrams(text, self.longest) if term in self.terms)
        if not counts:
            return self.bias
        rows = np.array([self.terms[term] for term in counts])
        weight = (1 + np.log(np.array(list(counts.values())))) * self.idf[rows]
        weight /= np.linalg.norm(weight)
        return np.asarray(weight @ self.weights[rows] * self.scale + self.bias)

    def in_bytes(self) -> Self:
        """Return the same with a byte for each weight."""
        scale = np.maximum(np.abs(self.weights).max(axis=0), 1e-9) / BYTE
        weights = np.round(self.weights / scale).astype(np.int8)
        return replace(self, weights=weights, scale=(scale * self.scale).astype(np.float32))


def write(path: Path, counts: Mapping[str, Counts]) -> None:
    """Write the classifiers of several questions into one file."""
    tensors: dict[str, Array] = {}
    for name, one in counts.items():
        tensors |= {f"{name}.{part}": np.ascontiguousarray(getattr(one, part)) for part in PARTS}
        tensors[f"{name}.terms"] = np.frombuffer("\n".join(one.terms).encode(), dtype=np.uint8)
    save_file(tensors, path)


def read(path: Path) -> dict[str, Counts]:
    """Read what `write` wrote."""
    try:
        tensors = load_file(path)
        names = {name.partition(".")[0] for name in tensors}
        return {name: _one({part: tensors[f"{name}.{part}"] for part in ("terms", *PARTS)}) for name in names}
    except (SafetensorError, KeyError) as error:
        raise UserError(f"{path} does not hold counted words ({error}); export the reader again") from None


def _one(tensors: dict[str, Array]) -> Counts:
    terms = tensors.pop("terms").tobytes().decode().split("\n")
    return Counts({term: number for number, term in enumerate(terms)}, **tensors)
