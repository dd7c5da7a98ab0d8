"""Which of several good candidates to give: the one that shares most words, marks and pairs with the others.

What many near candidates say is more likely to be said than what one alone says: minimum Bayes risk (Kumar and Byrne
2004), with candidates weighed by their scores. It gives safer replies, and less surprising ones.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hearten.dialogue import Reply
from hearten.retrieval.collection import Collection
from hearten.system import Array

FADES = 0.05
"""By how much a candidate's score has to be lower for its vote to count e times less."""

_PART = re.compile(r"\w+|[^\w\s]")
"""A word, or a mark; `I'm` is three parts, and shares one with `I am`."""


def nearest(collection: Collection, queries: Array, n: int, voters: int) -> list[list[Reply]]:
    """Return the nearest candidates for each query, those that vote in the order of their agreement."""
    found = collection.nearest(queries, max(n, voters))
    if voters == 1:
        return found
    ordered = [[*by_agreement(near[:voters], FADES), *near[voters:]] for near in found]
    return [near[:n] for near in ordered]


def by_agreement(replies: Sequence[Reply], temperature: float) -> list[Reply]:
    """Order replies by how much they agree with the others; `temperature` says how fast votes fade with the score."""
    if len(replies) < 2:
        return list(replies)
    scores = np.array([reply.score for reply in replies])
    votes = np.exp((scores - scores.max()) / temperature)
    agreement = overlaps([reply.text for reply in replies]) @ votes
    return [replies[place] for place in np.argsort(-agreement, kind="stable")]


def overlaps(texts: Sequence[str]) -> Array:
    """Return the share of words, marks and pairs that each two texts have in common; nothing with itself."""
    counted = [_counted(text) for text in texts]
    sizes = [counts.total() for counts in counted]
    found = np.zeros((len(texts), len(texts)))
    for first in range(len(texts)):
        for second in range(first):
            common = 2 * (counted[first] & counted[second]).total()
            found[first, second] = found[second, first] = common / max(1, sizes[first] + sizes[second])
    return found


def _counted(text: str) -> Counter[object]:
    said = _PART.findall(text.lower())
    return Counter([*said, *pairwise(said)])
