"""What the service asks of whatever answers, and what it gets back."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from hearten.dialogue import Turn

Effort = Literal["full", "quick", "least"]
"""How much work a reply may be: `full` while nobody else waits (several drafts, and the words that speak for the
emotion), `quick` where others do, `least` where so many do that they would give up."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A conversation that waits for a reply."""

    id: str
    system: str
    context: tuple[Turn, ...]
    intent: str | None = None
    seed: int = 0
    avoid: tuple[str, ...] = ()
    """Replies that were given to this turn before, and are not wanted again."""
    conversation: str = ""
    """Asks of one conversation go to the same worker where possible, which may remember its beginning."""
    effort: Effort = "full"


@dataclass(frozen=True, slots=True)
class Read:
    """How the person feels: the three likeliest emotions, which words say so, and the valence of it all."""

    table: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """The next characters of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole reply. What was sent in pieces is only a preview of it."""

    text: str
    plan: str | None = None
    alternatives: list[dict[str, Any]] = field(default_factory=list)
    withheld: str | None = None
    """Why what the system wanted to say was replaced."""
    effort: Effort = "full"
    """How much work it was."""


Happening = Read | Piece | Answered


def at_once(answer: Answered) -> Iterator[Piece | Answered]:
    """Give the words of a finished answer, which need not wait for anything, and the answer."""
    yield Piece(answer.text)
    yield answer


@dataclass(frozen=True, slots=True)
class Served:
    """A system that people can choose."""

    id: str
    title: str
    about: str
    model: str
    """Names the model for ever: system, preset and version."""
    config: str
    """Short hash of its settings, data and version."""


@dataclass(frozen=True, slots=True)
class Load:
    """How busy an engine is."""

    workers: int
    busy: int
    waiting: int
    restarts: int


class QueueFull(Exception):
    """More people wait than can be answered soon."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


class AnswerFailed(Exception):
    """No reply could be made; the code says why, and no text of the person is in it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Engine(Protocol):
    """Answers many people at once."""

    async def start(self) -> None:
        """Load everything; raises UserError where that cannot work."""
        ...

    async def stop(self) -> None:
        """Stop at once; asks that are under way fail."""
        ...

    @property
    def systems(self) -> Sequence[Served]:
        """What can be chosen, the default first."""
        ...

    @property
    def is_ready(self) -> bool:
        """Say whether anybody can be answered."""
        ...

    @property
    def load(self) -> Load:
        """Say how busy it is."""
        ...

    def require_room(self) -> None:
        """Raise QueueFull if another ask would have to wait too long."""
        ...

    def stream(self, ask: Ask) -> AsyncGenerator[Happening, None]:
        """Answer; ends with exactly one `Answered`, or raises AnswerFailed. Closing the iterator stops the work."""
        ...
