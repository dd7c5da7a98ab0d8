"""A worker's desk: takes asks as they come, answers those that fit together at once, and tells what happens."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from hearten.service.engine import Ask, Happening, Piece, Read, at_once
from hearten.service.traces import where
from hearten.service.workers.loading import Loaded
from hearten.service.workers.reading import read, with_evidence

Tell = Callable[[str, Happening | None], None]
"""Takes the id of an ask and what happened to it; None: it failed."""
Reading = dict[str, Any]
log = logging.getLogger("hearten.service")


class Desk:
    """Works in the thread that calls `work`, and in others beside it where systems can be asked by several at once.

    Everything but `work` may be called from any thread. Systems that cannot be shared answer a group of asks instead.
    """

    def __init__(self, loaded: Loaded, tell: Tell, together: int = 1) -> None:
        self._loaded, self._tell, self._together = loaded, tell, together
        self._waiting: deque[Ask] = deque()
        self._in_hand: set[str] = set()
        self._dropped: set[str] = set()
        self._is_shared = all(one.is_shared for one in loaded.responders.values())
        self._aside = ThreadPoolExecutor(together, thread_name_prefix="reading")
        self._is_open = True
        self._changed = threading.Condition()

    def put(self, ask: Ask) -> None:
        """Lay an ask on the desk."""
        with self._changed:
            self._waiting.append(ask)
            self._changed.notify()

    def drop(self, ask: str) -> None:
        """Nobody waits for this ask any more."""
        with self._changed:
            self._waiting = deque(one for one in self._waiting if one.id != ask)
            self._dropped |= self._in_hand & {ask}

    def close(self) -> None:
        """Finish what is under way, then stop."""
        with self._changed:
            self._is_open = False
            self._changed.notify_all()

    def work(self) -> None:
        """Answer until the desk is closed."""
        count = self._together - 1 if self._is_shared else 0
        others = [threading.Thread(target=self._loop, daemon=True) for _ in range(count)]
        for other in others:
            other.start()
        self._loop()
        for other in others:
            other.join()
        self._aside.shutdown()

    def _loop(self) -> None:
        while group := self._next():
            self._serve(group)

    def _serve(self, group: Sequence[Ask]) -> None:
        try:
            self._answer(group)
        except Exception as error:  # one bad ask must not end the worker
            log.error("an ask failed: %s", where(error))
            for ask in group:
                self._tell(ask.id, None)
        with self._changed:
            done = {ask.id for ask in group}
            self._in_hand -= done
            self._dropped -= done

    def _next(self) -> list[Ask]:
        """Wait for an ask, and take along those that can be answered together with it; nothing at the end."""
        with self._changed:
            while not self._waiting and self._is_open:
                self._changed.wait()
            if not self._is_open:
                return []
            group = [self._waiting.popleft()]
            for ask in [] if self._is_shared else list(self._waiting):
                if len(group) < self._together and _fits(ask, group[0]):
                    self._waiting.remove(ask)
                    group.append(ask)
            self._in_hand |= {ask.id for ask in group}
            return group

    def _answer(self, group: Sequence[Ask]) -> None:
        responder = self._loaded.responders[group[0].system]
        if len(group) == 1:
            # Where words are shown as they are written, reading waits for the first of them.
            reading = None if responder.is_live(group[0]) else self._aside.submit(self._read, group[0])
            self._pass_on(group[0], responder.stream(group[0]), reading)
            return
        readings = [self._aside.submit(self._read, ask) for ask in group]
        for ask, answer, reading in zip(group, responder.together(group), readings, strict=True):
            self._pass_on(ask, at_once(answer), reading)

    def _read(self, ask: Ask) -> Reading:
        found = read(self._loaded.reader, ask.context)
        self._tell(ask.id, Read(found))
        return found

    def _pass_on(self, ask: Ask, happenings: Iterator[Happening], reading: Future[Reading] | None) -> None:
        for happening in happenings:
            if self._is_dropped(ask.id):
                return
            if isinstance(happening, Piece):
                self._tell(ask.id, happening)
                reading = reading or self._aside.submit(self._read, ask)
                continue
            found = reading.result() if reading else self._read(ask)
            if ask.effort == "full" and self._is_quiet:
                # The words of the reply are on the screen by now, and nobody else waits: time to say why.
                self._tell(ask.id, Read(with_evidence(self._loaded.reader, ask.context, found)))
            self._tell(ask.id, happening)

    def _is_dropped(self, ask: str) -> bool:
        with self._changed:
            return ask in self._dropped

    @property
    def _is_quiet(self) -> bool:
        with self._changed:
            return not self._waiting


def _fits(ask: Ask, other: Ask) -> bool:
    return (ask.system, ask.intent) == (other.system, other.intent) and not ask.avoid and not other.avoid
