"""Candidates with their vectors: what a query finds, and the folder that holds both.

    index/  candidates.jsonl  vectors.safetensors

The vectors are memory-mapped when the folder is opened, so that a million candidates are there at once.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
from safetensors.numpy import save_file

from hearten.data.candidates import Candidate
from hearten.dialogue import Reply
from hearten.errors import UserError
from hearten.places import whole_folder
from hearten.retrieval.index import Index
from hearten.retrieval.mapped import map_tensors
from hearten.system import Array

TEXTS = "candidates.jsonl"
VECTORS = "vectors.safetensors"


class Collection:
    """Candidates that can be searched by vector."""

    def __init__(self, candidates: Sequence[Candidate], index: Index) -> None:
        if len(candidates) != len(index):
            raise UserError(f"there are {len(candidates)} candidates but {len(index)} vectors; build the index again")
        self.candidates, self.index = list(candidates), index

    def nearest(self, queries: Array, n: int = 1) -> list[list[Reply]]:
        """Return up to `n` replies to each query, best first."""
        found = self.index.search(queries, n)
        return [
            [self._quote(row, score) for row, score in zip(rows, scores, strict=True) if row >= 0]
            for rows, scores in zip(found.rows, found.scores, strict=True)
        ]

    def add(self, candidates: Sequence[Candidate], vectors: Array) -> None:
        """Add candidates with their vectors."""
        if len(candidates) != len(vectors):
            raise UserError(f"there are {len(candidates)} candidates but {len(vectors)} vectors")
        self.index.add(vectors)
        self.candidates += candidates

    def save(self, place: Path) -> None:
        """Write the folder."""
        with whole_folder(place) as draft:
            save_file({name: np.ascontiguousarray(a) for name, a in self.index.stored().items()}, draft / VECTORS)
            with (draft / TEXTS).open("w", encoding="utf-8") as file:
                for one in self.candidates:
                    file.write(json.dumps([one.id, one.text], ensure_ascii=False) + "\n")

    @classmethod
    def open(cls, place: Path, exact_up_to: int) -> Self:
        """Open a folder; the vectors stay on the disk until they are needed."""
        if not (place / TEXTS).is_file():
            raise UserError(f"{place} holds no candidates; an index is made by exporting a trained retrieval system")
        with (place / TEXTS).open(encoding="utf-8") as file:
            candidates = [Candidate(*json.loads(line)) for line in file]
        return cls(candidates, Index.restore(map_tensors(place / VECTORS), exact_up_to))

    def _quote(self, row: int, score: float) -> Reply:
        return Reply(self.candidates[row].text, float(score), self.candidates[row].id)
