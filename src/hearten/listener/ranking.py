"""Putting replies that somebody else wrote in order: by vectors, and the best of them by what the generator thinks.

A reply that is likely after this conversation may be likely after any. So the log probability of the whole reply given
the conversation counts, less that of the reply given nothing: how much more likely the conversation makes it.
"""

from collections.abc import Sequence

import numpy as np

from hearten.listener.generator import Generator
from hearten.listener.manner import Ranking
from hearten.system import Array, Context, Ranks

SHARPNESS = 20.0
"""What dot products of vectors of length 1 are multiplied by, as in the training of the encoder."""
BEHIND = 1000.0
"""Taken off those that were not on the shortlist, which come after all others, in their own order."""


def affinity(
    contexts: Sequence[Context], texts: Sequence[str], ranker: Ranks, generator: Generator | None, how: Ranking
) -> Array:
    """Return scores of each text as a reply to each context. (contexts, texts)"""
    fits = SHARPNESS * np.asarray(ranker.affinity(contexts, texts))
    if generator is None or how.shortlist == 0 or not texts:
        return fits
    free = np.array([one.nats for one in generator.score([()] * len(texts), texts)])
    scores = fits - BEHIND
    for row, context in enumerate(contexts):
        best = np.argsort(-fits[row], kind="stable")[: how.shortlist]
        found = generator.score([context] * len(best), [texts[place] for place in best])
        gains = np.array([one.nats for one in found]) - how.genericness * free[best]
        scores[row, best] = fits[row, best] + how.likelihood * gains
    return np.asarray(scores)
