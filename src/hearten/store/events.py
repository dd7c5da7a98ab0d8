"""Events as plain data, and the errors of keeping them."""

import secrets
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "conversation",
    "title",
    "turn",
    "reading",
    "stop",
    "report",
    "edit",
    "rating",
    "emotion",
    "consent",
    "review",
]


def new_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something to be written down. `key` makes it happen once."""

    kind: Kind
    visitor: str
    conversation: str | None = None
    about: str | None = None
    body: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    model: str | None = None
    config: str | None = None
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A fact that is safely stored."""

    seq: int
    id: str
    kind: str
    at: float
    visitor: str
    conversation: str | None
    about: str | None
    body: dict[str, Any]
    key: str | None
    model: str | None
    config: str | None


class StoreError(Exception):
    """The store cannot take or give anything at the moment; nothing was acknowledged."""


class StoreFull(StoreError):
    """There is no space left to write."""
