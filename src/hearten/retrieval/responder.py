"""Answering from an exported folder, without torch: encode the context, look up the candidates."""

import json
from collections.abc import Sequence
from pathlib import Path

from hearten.dialogue import Reply
from hearten.errors import UserError
from hearten.retrieval.collection import Collection
from hearten.retrieval.encoder import Encoder
from hearten.system import Array, Context


class Responder:
    """An exported retrieval system."""

    def __init__(self, place: Path, threads: int = 0) -> None:
        note = place / "responder.json"
        if not note.is_file():
            raise UserError(f"{place} holds no exported retrieval system")
        self.encoder = Encoder(place / "encoder", threads)
        self.collection = Collection.open(place / "index", json.loads(note.read_text("utf-8"))["exact_up_to"])

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return the candidates that fit best."""
        return self.collection.nearest(self.encoder.contexts([context]), n)[0]

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the dot products of contexts and candidates."""
        return self.encoder.affinity(contexts, candidates)
