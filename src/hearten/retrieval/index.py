"""Candidates as vectors, and the search for those with the largest dot product: exact for small pools."""

from collections.abc import Mapping
from typing import NamedTuple, Self

import numpy as np

from hearten.errors import UserError
from hearten.retrieval.graph import Graph
from hearten.system import Array

BLOCK = 16_384
"""Vectors that are compared at a time."""
SHORTLIST = 10
"""How many times more candidates than asked for (ten at least) the graph offers for the exact ranking."""


class Found(NamedTuple):
    """The best candidates for each query, best first. Both of shape (queries, n)."""

    rows: Array
    scores: Array


class Index:
    """Vectors of candidates, held in half precision; more than `exact_up_to` are searched approximately."""

    def __init__(self, vectors: Array, exact_up_to: int, graph: Graph | None = None) -> None:
        self.vectors = vectors.astype(np.float16, copy=False)
        self._exact_up_to, self._graph = exact_up_to, graph
        self._wide: Array | None = None

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def is_exact(self) -> bool:
        """Whether every candidate is looked at."""
        return len(self) <= self._exact_up_to

    def search(self, queries: Array, n: int) -> Found:
        """Return the `n` candidates with the largest dot product."""
        n = min(n, len(self))
        if self.is_exact:
            if self._wide is None:
                self._wide = self.vectors.astype(np.float32)
            return exact(self._wide, queries, n)
        offered = self._ensured_graph().shortlist(queries, min(SHORTLIST * max(n, 10), len(self)))
        scores = np.einsum("qd,qnd->qn", queries.astype(np.float32), self.vectors[offered].astype(np.float32))
        return _top(offered, np.where(offered < 0, -np.inf, scores), n)

    def add(self, vectors: Array) -> None:
        """Add candidates behind those there; the graph, if there is one, grows with them."""
        if vectors.shape[1:] != self.vectors.shape[1:]:
            raise UserError(f"these vectors have {vectors.shape[1]} parts, those of the index {self.vectors.shape[1]}")
        self.vectors = np.concatenate([self.vectors, vectors.astype(np.float16)])
        self._wide = None
        if self._graph is not None:
            self._graph.add(self.vectors[len(self._graph) :])

    def stored(self) -> dict[str, Array]:
        """Return everything as arrays: the vectors, and the graph of a large pool."""
        graph = {} if self.is_exact else self._ensured_graph().stored()
        return {"vectors": self.vectors, **graph}

    @classmethod
    def restore(cls, arrays: Mapping[str, Array], exact_up_to: int) -> Self:
        """Rebuild an index; memory-mapped arrays stay where they are."""
        graph = Graph.restore(arrays["graph"], arrays["scale"]) if "graph" in arrays else None
        return cls(arrays["vectors"], exact_up_to, graph)

    def _ensured_graph(self) -> Graph:
        if self._graph is None:
            self._graph = Graph.build(self.vectors)
        return self._graph


def exact(vectors: Array, queries: Array, n: int) -> Found:
    """Compare every vector with every query, a block at a time."""
    wide = queries.astype(np.float32)
    best = Found(np.zeros((len(queries), 0), dtype=np.int64), np.zeros((len(queries), 0), dtype=np.float32))
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK].astype(np.float32, copy=False)
        scores = wide @ block.T
        numbers = np.broadcast_to(np.arange(start, start + len(block)), scores.shape)
        fresh = _top(numbers, scores, n)
        best = _top(np.hstack([best.rows, fresh.rows]), np.hstack([best.scores, fresh.scores]), n)
    return best


def _top(rows: Array, scores: Array, n: int) -> Found:
    """Return the `n` best of each row of scores, best first, the lower number first where they are equal."""
    if n < scores.shape[1]:
        kept = np.argpartition(-scores, n - 1, axis=1)[:, :n]
        rows, scores = np.take_along_axis(rows, kept, axis=1), np.take_along_axis(scores, kept, axis=1)
    order = np.lexsort((rows, -scores), axis=1)
    return Found(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1))
