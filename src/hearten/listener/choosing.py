"""Which of the candidates is said: what speaks against each, and what speaks for it."""

from collections.abc import Mapping, Sequence

import numpy as np

from hearten.data.tokens import words
from hearten.listener.answer import Candidate
from hearten.listener.manner import Weights
from hearten.listener.own_life import tells_of_itself
from hearten.safety.replies import ReplyCheck, is_asked
from hearten.system import Array, Context

MUCH = 0.8
"""Share of a reply's words that make it a repetition of an earlier turn."""
FEW = 4
"""Words below which only the very same text is called a repetition."""
AGAINST = ("genericness", "flaws")
"""Scores that are taken off."""


class Objections:
    """What speaks against replies to one context."""

    def __init__(self, context: Context, guards: bool) -> None:
        """Take a context which, if we are to guard, was seen to speak of no crisis."""
        self._context, self._check = context, ReplyCheck(context, is_calm=True) if guards else None
        self._is_asked = guards and is_asked(context)

    def __call__(self, text: str) -> str | None:
        """Say why a reply must not be given."""
        if not words(text):
            return "it says nothing"
        if is_repetition(text, self._context):
            return "it repeats what was said before"
        if self._is_asked and tells_of_itself(text, is_asked=True):
            return "it was asked about itself and claims a life"
        return self._check.objection(text) if self._check else None


def is_repetition(text: str, context: Context) -> bool:
    """Say whether most of a reply was said in one earlier turn, by either side."""
    said = words(text)
    if any(words(turn.text) == said for turn in context):
        return True
    return len(said) >= FEW and any(
        sum(word in set(words(turn.text)) for word in said) >= MUCH * len(said) for turn in context
    )


def agreement(vectors: Array) -> Array:
    """Return how alike each vector is to the others on average: what several drafts say is rarely a slip."""
    others = vectors @ vectors.sum(0) - (vectors * vectors).sum(1)
    return np.asarray(others / max(1, len(vectors) - 1))


def total(scores: Mapping[str, float], weights: Weights) -> float:
    """Weigh the scores of a candidate; some count against it."""
    importance = weights.model_dump()
    for name in AGAINST:
        importance[name] *= -1
    return float(sum(importance[name] * value for name, value in scores.items()))


def in_order(candidates: Sequence[Candidate], ranks: bool) -> list[Candidate]:
    """Put candidates that may be said first, and each kind in the order of its totals if it is ranked."""
    return sorted(candidates, key=lambda one: (one.objection is not None, -one.total if ranks else 0.0))
