"""A worker in a thread of the server: for a model that must not be loaded twice, say on a GPU."""

import asyncio
import threading
from collections.abc import Callable, Sequence

from hearten.service.engine import Ask, Happening, Served
from hearten.service.workers.desk import Desk
from hearten.service.workers.loading import load
from hearten.service.workers.worker import Tell


class ThreadWorker:
    """Loads and answers in one thread."""

    def __init__(self, systems: Sequence[str], threads: int, together: int) -> None:
        self._systems, self._threads, self._together = systems, threads, together
        self._desk: Desk | None = None
        self._thread: threading.Thread | None = None

    async def start(self, tell: Tell, died: Callable[[], None]) -> tuple[Served, ...]:
        """Load in a thread, then begin to work in another."""
        loaded = await asyncio.to_thread(load, self._systems, self._threads)
        loop = asyncio.get_running_loop()

        def tell_loop(ask: str, happening: Happening | None) -> None:
            loop.call_soon_threadsafe(tell, ask, happening)

        self._desk = Desk(loaded, tell_loop, self._together)
        self._thread = threading.Thread(target=self._desk.work, name="worker", daemon=True)
        self._thread.start()
        return loaded.served

    def send(self, ask: Ask) -> None:
        """Lay it on the desk."""
        assert self._desk is not None
        self._desk.put(ask)

    def drop(self, ask: str) -> None:
        """Take it off the desk."""
        assert self._desk is not None
        self._desk.drop(ask)

    def kill(self) -> None:
        """A thread cannot be ended; the ask that takes too long is given up, and the thread goes on with others."""

    async def stop(self) -> None:
        """Let the thread finish the ask under way."""
        if self._desk and self._thread:
            self._desk.close()
            await asyncio.to_thread(self._thread.join, 5.0)
