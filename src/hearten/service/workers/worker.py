"""What the pool knows of a worker."""

from collections.abc import Callable
from typing import Protocol

from hearten.service.engine import Ask, Happening, Served

Tell = Callable[[str, Happening | None], None]


class Worker(Protocol):
    """Somebody who answers a few asks at a time."""

    async def start(self, tell: Tell, died: Callable[[], None]) -> tuple[Served, ...]:
        """Load, and return what is served; `died` is called once if the worker ends without being told to."""
        ...

    def send(self, ask: Ask) -> None:
        """Hand an ask over."""
        ...

    def drop(self, ask: str) -> None:
        """Say that nobody waits for an ask any more."""
        ...

    def kill(self) -> None:
        """End a worker that does not answer; it counts as died."""
        ...

    async def stop(self) -> None:
        """End the worker."""
        ...
