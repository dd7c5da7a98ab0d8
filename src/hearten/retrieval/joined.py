"""Several encoders as one, because encoders that differ also err differently."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hearten.system import Array, Context, Ranks


@dataclass(frozen=True)
class Joined:
    """Encoders, and how much what each of them says counts."""

    encoders: Sequence[Ranks]
    weights: Sequence[float]

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the weighted sums of the encoders' dot products. (contexts, texts)"""
        found = [encoder.affinity(contexts, candidates) for encoder in self.encoders]
        return np.asarray(sum(weight * one for weight, one in zip(self.weights, found, strict=True)))
