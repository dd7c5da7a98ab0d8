"""Labels to prepend: a fastText classifier, run with numpy alone.

Joulin et al. 2017, "Bag of Tricks for Efficient Text Classification": the mean of the word vectors, then a linear
layer. Without word n-grams that is all there is, so the two matrices and the words are the whole model.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Self

import numpy as np

from hearten.config import Json
from hearten.data.tokens import words
from hearten.system import Array, normalised

END = "</s>"
"""fastText's word for the end of a line, which counts as a word of every text."""


class Labeller:
    """Predicts the labels of texts."""

    def __init__(self, names: Sequence[str], terms: Sequence[str], vectors: Array, output: Array) -> None:
        self._names, self._terms = list(names), list(terms)
        self._vectors, self._output = vectors, output  # (words, dimension), (labels, dimension)
        self._rows = {term: row for row, term in enumerate(terms)}
        self._ranked = lru_cache(maxsize=200_000)(self._ranked)  # type: ignore[method-assign]

    def front(self, text: str, k: int) -> list[str]:
        """Return what to put in front of a text: the `k` likeliest labels, the likeliest last, next to the text."""
        return list(reversed(self._ranked(text)[:k]))

    def probabilities(self, text: str) -> dict[str, float]:
        """Return the probability of each label."""
        return dict(zip(self._names, normalised(self._logits(text)).tolist(), strict=True))

    def assets(self) -> Json:
        """Return labels and words."""
        return {"labels": self._names, "words": self._terms}

    def tensors(self) -> dict[str, Array]:
        """Return word vectors and linear layer."""
        return {"vectors": self._vectors, "output": self._output}

    @classmethod
    def restore(cls, assets: Json, tensors: Mapping[str, Array]) -> Self:
        """Put words and matrices together again."""
        return cls(assets["labels"], assets["words"], tensors["vectors"], tensors["output"])

    def _logits(self, text: str) -> Array:
        rows = [self._rows[word] for word in [*words(text), END] if word in self._rows]
        return np.asarray(self._output @ self._vectors[rows].mean(axis=0))

    def _ranked(self, text: str) -> list[str]:
        return [_readable(self._names[row]) for row in np.argsort(-self._logits(text), kind="stable")]


def _readable(label: str) -> str:
    """Write `rec.sport.hockey` as words, so that a tokenizer of words can read it."""
    return label.replace(".", " ")
