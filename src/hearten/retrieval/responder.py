"""Answering by looking up, without torch: encode the context, find the candidates nearest to it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from hearten.dialogue import Reply
from hearten.errors import UserError
from hearten.retrieval.collection import Collection
from hearten.retrieval.encoder import Encoder
from hearten.system import Array, Context


class Responder:
    """An encoder and the candidates whose vectors it made."""

    def __init__(self, encoder: Encoder, collection: Collection) -> None:
        self.encoder, self.collection = encoder, collection

    @classmethod
    def open(cls, place: Path, threads: int = 0) -> Self:
        """Open the folder of an exported retrieval system."""
        note = place / "responder.json"
        if not note.is_file():
            raise UserError(f"{place} holds no exported retrieval system")
        exact_up_to = json.loads(note.read_text("utf-8"))["exact_up_to"]
        return cls(Encoder(place / "encoder", threads), Collection.open(place / "index", exact_up_to))

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return the candidates that fit best."""
        return self.collection.nearest(self.encoder.contexts([context]), n)[0]

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the dot products of contexts and candidates."""
        return self.encoder.affinity(contexts, candidates)
