"""A responder that answers with the reply once given in the most similar situation, found by BM25.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond". No learning, no torch.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field

from hearten.config import Json, Settings
from hearten.dialogue import Example, Reply, joined
from hearten.errors import UserError
from hearten.system import Array, Context, System
from hearten.systems.bm25.index import Index


class Bm25Config(Settings):
    """What the responder may be told."""

    k1: float = Field(gt=0)
    """How soon more occurrences of a word stop counting."""
    b: float = Field(ge=0, le=1)
    """How much long texts are held back."""
    match: Literal["contexts", "replies"]
    """What the context is compared with: the contexts of the known replies, or the replies themselves."""
    window: int = Field(ge=1)
    """How many turns of a context are looked at, the newest."""
    max_words: int = Field(ge=1)
    """Replies longer than this are no candidates."""


class Bm25(System):
    """Retrieval by shared words."""

    Config = Bm25Config

    def __init__(self, config: Bm25Config, index: Index, replies: Sequence[tuple[str, str]]) -> None:
        self.config = config
        self.index = index
        self.replies = replies
        """Each candidate's turn id and text, in the order of the index."""

    @classmethod
    def prepare(cls, config: Bm25Config, examples: Sequence[Example], seed: int) -> Self:
        """Index the examples whose replies are short enough, one entry for each distinct context and reply."""
        pool = _distinct([e for e in examples if len(e.reply.text.split()) <= config.max_words])
        if not pool:
            raise UserError("there is no reply to choose from; give a corpus with replies, or raise system.max_words")
        texts = [joined(e.context[-config.window :]) if config.match == "contexts" else e.reply.text for e in pool]
        return cls(config, Index.build(texts, config.k1, config.b), [(e.id, e.reply.text) for e in pool])

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return the replies of the best matches that have different texts."""
        scores = self.index.scores(self._query(context))
        chosen: dict[str, Reply] = {}
        for row in np.argsort(-scores, kind="stable"):
            source, text = self.replies[row]
            chosen.setdefault(text, Reply(text, float(scores[row]), source))
            if len(chosen) == n:
                break
        return list(chosen.values())

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Score candidates by the words that they share with the context."""
        return self.index.outside_scores([self._query(context) for context in contexts], candidates)

    def _query(self, context: Context) -> str:
        return joined(context[-self.config.window :])

    def assets(self) -> dict[str, Json]:
        """Return the candidates and the vocabulary."""
        sizes = {"size": self.index.size, "mean_length": self.index.mean_length}
        return {"candidates.json": list(self.replies), "terms.json": list(self.index.terms), "index.json": sizes}

    def tensors(self) -> dict[str, Array]:
        """Return the postings."""
        return {name: getattr(self.index, name) for name in ("idf", "starts", "documents", "weights")}

    @classmethod
    def restore(cls, config: Bm25Config, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Put index and candidates together again."""
        terms = {term: n for n, term in enumerate(assets["terms.json"])}
        fields: dict[str, Any] = {**assets["index.json"], **tensors}
        index = Index(terms=terms, k1=config.k1, b=config.b, **fields)
        return cls(config, index, [(source, text) for source, text in assets["candidates.json"]])


def _distinct(examples: Sequence[Example]) -> list[Example]:
    seen = {(joined(e.context).lower(), e.reply.text.lower()): e for e in reversed(examples)}
    return list(reversed(seen.values()))
