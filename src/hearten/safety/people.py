"""How a person speaks to the agent. Nothing is refused; callers may stay calm, or offer a break."""

from typing import Literal

from hearten.safety.fold import fold
from hearten.safety.rules import rules


def user_unsafe(text: str) -> Literal["abusive"] | None:
    """Say whether a message abuses the agent. Look for a crisis first: people in one may swear."""
    return "abusive" if rules().abuse.search(fold(text)) else None
