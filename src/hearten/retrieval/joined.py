"""Several encoders as one, because encoders that differ also err differently.

The vector of a text is what all encoders make of it, one behind the other. Dot products of such vectors are the
weighted sums of the encoders' own, so that an index searches them like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hearten.retrieval.encoder import Encoder
from hearten.system import Array, Context


@dataclass(frozen=True)
class Joined:
    """Encoders, and how much what each of them says counts."""

    encoders: Sequence[Encoder]
    weights: Sequence[float]

    def contexts(self, contexts: Sequence[Context]) -> Array:
        """Return the vectors of contexts. (contexts, all hidden)"""
        return self._weighed([encoder.contexts(contexts) for encoder in self.encoders])

    def candidates(self, texts: Sequence[str]) -> Array:
        """Return the vectors of candidates. (texts, all hidden)"""
        return self._weighed([encoder.candidates(texts) for encoder in self.encoders])

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the weighted sums of the encoders' dot products. (contexts, texts)"""
        return np.asarray(self.contexts(contexts) @ self.candidates(candidates).T)

    def _weighed(self, found: Sequence[Array]) -> Array:
        """Put vectors behind each other; both sides are multiplied by the root, so that products have the weight."""
        return np.hstack([vectors * weight**0.5 for vectors, weight in zip(found, self.weights, strict=True)])
