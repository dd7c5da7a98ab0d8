"""Approximate search: a navigable graph (HNSW) over 8-bit copies of the vectors, by usearch.

Malkov and Yashunin 2020, "Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical Navigable Small
World Graphs". The vectors are scaled to use the whole range of 8 bits, which the parts of a long unit vector do not.
The graph only makes a shortlist, which the index then ranks by the vectors themselves.
"""

from typing import Any, Self

import numpy as np

from hearten.errors import MissingExtra
from hearten.system import Array

NEIGHBOURS = 16
"""Links of a vector."""
CARE_ADDING = 64
CARE_SEARCHING = 768
"""How many vectors are kept in view while adding one, and while searching."""
LARGEST = 127
SPREAD = 0.999
"""The share of vectors whose largest part fits the range; the rest is cut off."""


class Graph:
    """Vectors by number, and those nearest to a query."""

    def __init__(self, graph: Any, scale: float, viewed: Array | None = None) -> None:
        self._graph, self._scale = graph, scale
        self._viewed = viewed
        """The stored graph that is looked at where it lies; it cannot grow there."""

    @classmethod
    def build(cls, vectors: Array, threads: int = 0) -> Self:
        """Make a graph of all vectors; `threads` 0 takes all cores."""
        largest = np.abs(vectors.astype(np.float32)).max(axis=1)
        graph = _usearch().Index(
            ndim=vectors.shape[1],
            metric="ip",
            dtype="i8",
            connectivity=NEIGHBOURS,
            expansion_add=CARE_ADDING,
            expansion_search=CARE_SEARCHING,
        )
        made = cls(graph, LARGEST / max(float(np.quantile(largest, SPREAD)), 1e-12))
        made.add(vectors, threads)
        return made

    def __len__(self) -> int:
        return len(self._graph)

    def add(self, vectors: Array, threads: int = 0) -> None:
        """Add vectors, numbered on."""
        if self._viewed is not None:
            self._graph = _usearch().Index.restore(self._viewed.tobytes(), expansion_add=CARE_ADDING)
            self._viewed = None
        numbers = np.arange(len(self), len(self) + len(vectors))
        self._graph.add(numbers, self._narrow(vectors, self._scale), threads=threads)

    def shortlist(self, queries: Array, n: int, threads: int = 0) -> Array:
        """Return the numbers of `n` vectors near each query; -1 stands where fewer were found. (queries, n)"""
        # a query's own scale does not change its ranking, so it may use the whole range, too
        widths = np.abs(queries).max(axis=1, keepdims=True)
        narrow = self._narrow(queries, LARGEST / np.maximum(widths, 1e-12))
        self._graph.expansion_search = max(CARE_SEARCHING, n)
        found = self._graph.search(narrow, n, threads=threads)
        numbers = np.full((len(queries), n), -1)
        if len(queries) == 1:
            numbers[0, : len(found.keys)] = found.keys
        else:
            is_there = np.arange(n) < np.asarray(found.counts)[:, None]
            numbers[is_there] = found.keys[is_there]
        return numbers

    def stored(self) -> dict[str, Array]:
        """Return the graph as arrays."""
        graph = np.frombuffer(self._graph.save(), dtype=np.uint8) if self._viewed is None else self._viewed
        return {"graph": graph, "scale": np.array([self._scale])}

    @classmethod
    def restore(cls, graph: Array, scale: Array) -> Self:
        """Look at a stored graph where it lies, without reading it as a whole."""
        return cls(_usearch().Index.restore(graph, view=True), float(scale[0]), graph)

    def _narrow(self, vectors: Array, scale: float | Array) -> Array:
        wide = np.rint(vectors.astype(np.float32) * scale)
        return np.asarray(np.clip(wide, -LARGEST, LARGEST).astype(np.int8))


def _usearch() -> Any:
    try:
        import usearch.index
    except ImportError:
        raise MissingExtra("searching this many candidates") from None
    return usearch.index
