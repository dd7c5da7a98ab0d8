"""joined: several trained retrieval encoders as one, without torch.

Still a bi-encoder as in Rashkin et al. 2019, section 4.1: contexts and candidates become vectors without knowing of
each other, and the reply is the candidate with the largest dot product. The vector of a text is what each encoder makes
of it, one behind the other (`hearten.retrieval.joined`). Nothing is learned here; the encoders are exported ones.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Self, TypeVar

import numpy as np
from pydantic import Field

from hearten.config import Json, Settings
from hearten.data.candidates import Candidate
from hearten.dialogue import Example, Reply, Sides
from hearten.listener.shipped import ranker
from hearten.retrieval.collection import Collection
from hearten.retrieval.consensus import nearest
from hearten.retrieval.encoder import Encoder
from hearten.retrieval.index import Index
from hearten.retrieval.joined import Joined
from hearten.retrieval.pool import gather
from hearten.system import Array, Context, System

Text = TypeVar("Text")

POOL = "candidates.json"
REMEMBERED = 50_000
"""Vectors kept of texts that were asked about."""


class Member(Settings):
    """One of the encoders."""

    encoder: str
    """The folder `encoder` in what `hearten models export` wrote of a retrieval system, or `shipped`."""
    weight: float = Field(gt=0)
    """How much what it says counts."""


class JoinedSettings(Settings):
    """Whom to ask, and where replies are chosen from."""

    members: tuple[Member, ...] = Field(min_length=1)
    pool: tuple[str, ...] = Field(min_length=1)
    """Corpora (their training split) and text files with a reply a line."""
    pool_sides: Sides = "listener"
    """Whose turns of those corpora may be given as replies."""
    longest: int = Field(default=20, ge=1)
    """Candidates of more words and punctuation marks are left out of the pool."""
    screened: bool = False
    """Also leave out candidates that hold names, or words that a listener should not say."""
    consensus: int = Field(default=1, ge=1)
    """So many of the nearest candidates vote, and the one that agrees most with the others is given; 1: the nearest."""
    exact_up_to: int = Field(default=200_000, ge=0)
    """Larger pools are searched approximately."""


class JoinedRetrieval(System):
    """Answers with the candidate that all encoders together find nearest."""

    Config = JoinedSettings

    def __init__(self, settings: JoinedSettings, pool: Sequence[Candidate], index: Index | None = None) -> None:
        self.settings, self._pool, self._index = settings, pool, index
        encoders = [Encoder(ranker(member.encoder)) for member in settings.members]
        self._encoder = Joined(encoders, [member.weight for member in settings.members])
        self._known: dict[str, dict[object, Array]] = {}

    @classmethod
    def prepare(cls, config: JoinedSettings, examples: Sequence[Example], seed: int) -> Self:
        """Open the encoders, and collect the candidates."""
        return cls(config, gather(config.pool, config.longest, config.screened, config.pool_sides).kept)

    def assets(self) -> dict[str, Json]:
        """Return the candidates."""
        return {POOL: [[candidate.id, candidate.text] for candidate in self._pool]}

    def tensors(self) -> dict[str, Array]:
        """Return the vectors of the candidates."""
        return self.collection.index.stored()

    @classmethod
    def restore(cls, config: JoinedSettings, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Rebuild the system from its folder and those of the encoders."""
        pool = [Candidate(source, text) for source, text in assets[POOL]]
        return cls(config, pool, Index.restore(tensors, config.exact_up_to))

    @cached_property
    def collection(self) -> Collection:
        """The candidates and their vectors, made when they are first needed: who only ranks does not wait for them."""
        index = self._index
        if index is None:
            texts = [candidate.text for candidate in self._pool]
            index = Index(self._encoder.candidates(texts), self.settings.exact_up_to)
        return Collection(self._pool, index)

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the dot products of contexts and candidates."""
        given = [tuple(context) for context in contexts]
        asked = self._once("contexts", given, self._encoder.contexts)
        offered = self._once("candidates", candidates, self._encoder.candidates)
        return np.asarray(asked @ offered.T)

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return the candidates that fit best."""
        return nearest(self.collection, self._encoder.contexts([context]), n, self.settings.consensus)[0]

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        """Return the best candidate for each context."""
        vectors = self._once("contexts", [tuple(context) for context in contexts], self._encoder.contexts)
        return [found[0] for found in nearest(self.collection, vectors, 1, self.settings.consensus)]

    def _once(self, side: str, texts: Sequence[Text], encode: Callable[[Sequence[Text]], Array]) -> Array:
        """Return vectors, each text's computed once: P@1,100 asks six times for the same ones."""
        known = self._known.setdefault(side, {})
        if len(known) + len(texts) > REMEMBERED:
            known.clear()
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, encode(new), strict=True))
        return np.stack([known[text] for text in texts])
