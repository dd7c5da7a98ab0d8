"""Putting replies that somebody else wrote in order: by vectors, and the best of them by what a judge thinks.

The judge is a language model: the generator, or a CAiRE, which also learned to tell a reply from one that was given in
another conversation. A reply that is likely after this conversation may be likely after any. So the log probability of
the whole reply given the conversation counts, less that of the reply given nothing: how much more likely the
conversation makes it.
"""

from collections.abc import Sequence

import numpy as np

from hearten.listener.manner import Ranking
from hearten.system import Array, Context, Judges, Ranks

SHARPNESS = 20.0
"""What dot products of vectors of length 1 are multiplied by, as in the training of the encoder."""
BEHIND = 1000.0
"""Taken off those that were not on the shortlist, which come after all others, in their own order."""


def affinity(
    contexts: Sequence[Context], texts: Sequence[str], ranker: Ranks, judge: Judges | None, how: Ranking
) -> Array:
    """Return scores of each text as a reply to each context. (contexts, texts)"""
    fits = SHARPNESS * np.asarray(ranker.affinity(contexts, texts))
    if judge is None or how.shortlist == 0 or not texts:
        return fits
    free = judge.judge((), texts).nats
    scores = fits - BEHIND
    for row, context in enumerate(contexts):
        best = np.argsort(-fits[row], kind="stable")[: how.shortlist]
        said = judge.judge(context, [texts[place] for place in best])
        gains = said.nats - how.genericness * free[best]
        scores[row, best] = fits[row, best] + how.likelihood * gains + how.selection * said.selection
    return np.asarray(scores)
