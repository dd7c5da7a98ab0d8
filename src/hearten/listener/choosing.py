"""Which of the candidates is said: what speaks against each, and what speaks for it."""

from collections.abc import Mapping, Sequence

from hearten.data.tokens import words
from hearten.listener.answer import Candidate
from hearten.listener.manner import Weights
from hearten.safety.replies import unsafe_reply
from hearten.system import Context

MUCH = 0.8
"""Share of a reply's words that make it a repetition of an earlier turn."""
FEW = 4
"""Words below which nothing is called a repetition: people say "oh no" twice."""


def objection(text: str, context: Context, guards: bool) -> str | None:
    """Say why a reply must not be given."""
    if not words(text):
        return "it says nothing"
    if is_repetition(text, context):
        return "it repeats what was said before"
    return unsafe_reply(text, context) if guards else None


def is_repetition(text: str, context: Context) -> bool:
    """Say whether most of a reply was said in one earlier turn, by either side."""
    said = words(text)
    if len(said) < FEW:
        return False
    return any(sum(word in set(words(turn.text)) for word in said) >= MUCH * len(said) for turn in context)


def total(scores: Mapping[str, float], weights: Weights) -> float:
    """Weigh the scores of a candidate; genericness counts against it."""
    importance = weights.model_dump()
    importance["genericness"] *= -1
    return float(sum(importance[name] * value for name, value in scores.items()))


def in_order(candidates: Sequence[Candidate], ranks: bool) -> list[Candidate]:
    """Put candidates that may be said first, and each kind in the order of its totals if it is ranked."""
    return sorted(candidates, key=lambda one: (one.objection is not None, -one.total if ranks else 0.0))
