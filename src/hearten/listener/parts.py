"""What an agent is put together from, and the check that nothing is missing."""

from dataclasses import dataclass
from typing import TypeVar

from hearten.errors import UserError
from hearten.listener.generator import Generator
from hearten.listener.manner import Manner
from hearten.reader.model import Reader
from hearten.system import Embeds, Judges, Replies

Part = TypeVar("Part")


@dataclass(frozen=True)
class Parts:
    """Whatever an agent's manner switches off may be absent."""

    reader: Reader | None = None
    generator: Generator | None = None
    ranker: Embeds | None = None
    retriever: Replies | None = None
    judge: Judges | None = None
    """Weighs replies of others in the generator's place."""


def needed(part: Part | None, what: str) -> Part:
    """Return a part, or say that it is missing."""
    if part is None:
        raise UserError(f"this agent was put together without {what}")
    return part


def require(parts: Parts, manner: Manner) -> None:
    """Refuse a manner that needs a part which is not there, before anybody talks to the agent."""
    if manner.reads or manner.plans:
        needed(parts.reader, "a reader")
    if manner.candidates:
        needed(parts.generator, "a generator")
    if manner.retrieved:
        needed(parts.retriever, "a retriever")
    if manner.ranks:
        needed(parts.ranker or parts.generator, "a ranker or a generator")
