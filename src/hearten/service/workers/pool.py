"""Shares asks out among workers: the least busy one first, a bounded queue, and another try when a worker dies.

The pool owns each ask until it is answered. A worker that dies is replaced, and what it had in hand given to
another; whoever waits sees one reply and notices nothing, since what was already shown is not shown again.
"""

import asyncio
import logging
import math
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace

from hearten.errors import UserError
from hearten.service.engine import Answered, AnswerFailed, Ask, Effort, Happening, Load, Piece, QueueFull, Served
from hearten.service.workers.worker import Worker

log = logging.getLogger("hearten.service")
TRIES = 3
"""How often an ask is handed out; one that kills three workers is given up."""
RESTART_PAUSES = (0.0, 0.5, 2.0, 5.0, 15.0)
"""Seconds before a worker that keeps dying is started again."""
ROUNDS = 2
"""How often all slots may have to be emptied before those who wait now are served; more, and replies become short."""
REMEMBERED = 10_000
"""Conversations whose last worker is remembered."""


@dataclass(frozen=True)
class Size:
    """How much a pool takes on."""

    workers: int
    slots: int
    """Asks that one worker has in hand at the same time."""
    waiting: int
    """Asks that may wait for a free slot."""
    seconds: float
    """How long one ask may take once it was handed out."""


@dataclass(eq=False)
class _Ticket:
    ask: Ask
    happenings: asyncio.Queue[Happening | AnswerFailed] = field(default_factory=asyncio.Queue)
    place: "_Place | None" = None
    tries: int = 0
    shown: str = ""
    """What was passed on already."""
    retold: str = ""
    """What the worker at hand has said; differs from `shown` after a worker died."""
    alarm: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class _Place:
    worker: Worker
    number: int
    is_ready: bool = False
    tickets: dict[str, _Ticket] = field(default_factory=dict)
    deaths: int = 0
    """In a row, without an answer in between."""


class Pool:
    """An engine made of workers."""

    def __init__(self, make: Callable[[], Worker], size: Size) -> None:
        self._make, self._size = make, size
        self._places = [_Place(make(), number) for number in range(size.workers)]
        self._waiting: deque[_Ticket] = deque()
        self._last: OrderedDict[str, int] = OrderedDict()
        self._systems: tuple[Served, ...] = ()
        self._restarting: set[asyncio.Task[None]] = set()
        self._restarts = 0
        self._is_stopping = False
        self._seconds = 1.0  # a running mean of how long an answer takes

    @property
    def systems(self) -> Sequence[Served]:
        """What can be chosen, the default first."""
        return self._systems

    @property
    def is_ready(self) -> bool:
        """Say whether any worker is there."""
        return any(place.is_ready for place in self._places)

    @property
    def load(self) -> Load:
        """Say how busy the workers are."""
        ready = sum(place.is_ready for place in self._places)
        busy = sum(len(place.tickets) for place in self._places)
        return Load(ready, busy, len(self._waiting), self._restarts)

    @property
    def workers(self) -> list[Worker]:
        """Those at work, for those who watch them."""
        return [place.worker for place in self._places]

    async def start(self) -> None:
        """Start all workers; if one cannot start, none does."""
        starting = [asyncio.ensure_future(self._begin(place)) for place in self._places]
        try:
            await asyncio.gather(*starting)
        except BaseException:
            for task in starting:
                task.cancel()
            await asyncio.gather(*starting, return_exceptions=True)
            await self.stop()
            raise

    async def stop(self) -> None:
        """End all workers; whoever still waits is told."""
        self._is_stopping = True
        for task in self._restarting:
            task.cancel()
        for ticket in [*self._waiting, *(one for place in self._places for one in place.tickets.values())]:
            self._settle(ticket, AnswerFailed("stopping"))
        await asyncio.gather(*(place.worker.stop() for place in self._places))

    def require_room(self) -> None:
        """Raise QueueFull if the queue is."""
        if len(self._waiting) >= self._size.waiting and self._free() is None:
            share = len(self._waiting) / max(1, self.load.workers * self._size.slots)
            raise QueueFull(max(1, min(60, math.ceil(share * self._seconds))))

    async def stream(self, ask: Ask) -> AsyncGenerator[Happening, None]:
        """Answer an ask; see Engine."""
        ticket = _Ticket(ask)
        self._waiting.append(ticket)
        self._hand_out()
        try:
            while True:
                happening = await ticket.happenings.get()
                if isinstance(happening, AnswerFailed):
                    raise happening
                yield happening
                if isinstance(happening, Answered):
                    return
        finally:
            self._abandon(ticket)

    async def _begin(self, place: _Place) -> None:
        systems = await place.worker.start(
            lambda ask, happening: self._heard(place, ask, happening), lambda: self._died(place)
        )
        self._systems = systems
        place.is_ready = True
        self._hand_out()

    def _free(self, conversation: str = "") -> _Place | None:
        """Return the least busy worker with a free slot; among equals the one that knows the conversation."""
        known = self._last.get(conversation)
        open_places = [one for one in self._places if one.is_ready and len(one.tickets) < self._size.slots]
        return min(open_places, key=lambda one: (len(one.tickets), one.number != known, one.number), default=None)

    def _hand_out(self) -> None:
        while self._waiting and (place := self._free(self._waiting[0].ask.conversation)):
            ticket = self._waiting.popleft()
            ticket.place, ticket.retold = place, ""
            ticket.tries += 1
            place.tickets[ticket.ask.id] = ticket
            self._remember(ticket.ask.conversation, place.number)
            loop = asyncio.get_running_loop()
            ticket.alarm = loop.call_later(self._size.seconds, self._too_slow, ticket, place)
            place.worker.send(replace(ticket.ask, effort=self._effort()))

    def _effort(self) -> Effort:
        """Say how much work the ask that was just handed out may be: the more people wait, the less."""
        busy = sum(len(place.tickets) for place in self._places)
        if not self._waiting and busy <= max(1, len(self._places) // 2):
            return "full"
        return "quick" if len(self._waiting) < ROUNDS * len(self._places) * self._size.slots else "least"

    def _remember(self, conversation: str, number: int) -> None:
        if conversation:
            self._last[conversation] = number
            self._last.move_to_end(conversation)
            if len(self._last) > REMEMBERED:
                self._last.popitem(last=False)

    def _heard(self, place: _Place, ask: str, happening: Happening | None) -> None:
        ticket = place.tickets.get(ask)
        if ticket is None:
            return  # it was stopped meanwhile
        if happening is None:
            self._settle(ticket, AnswerFailed("failed"))
        elif isinstance(happening, Piece):
            self._tell_once(ticket, happening)
        elif isinstance(happening, Answered):
            place.deaths = 0
            self._settle(ticket, happening)
        else:
            ticket.happenings.put_nowait(happening)

    def _tell_once(self, ticket: _Ticket, piece: Piece) -> None:
        """Pass on only what goes beyond what was shown before a worker died."""
        ticket.retold += piece.text
        if ticket.retold.startswith(ticket.shown) and ticket.retold != ticket.shown:
            fresh = ticket.retold[len(ticket.shown) :]
            ticket.shown = ticket.retold
            ticket.happenings.put_nowait(Piece(fresh))

    def _settle(self, ticket: _Ticket, end: Answered | AnswerFailed) -> None:
        if isinstance(end, Answered) and ticket.alarm:
            loop = asyncio.get_running_loop()
            took = self._size.seconds - (ticket.alarm.when() - loop.time())
            self._seconds += 0.1 * (took - self._seconds)
        self._release(ticket)
        ticket.happenings.put_nowait(end)
        self._hand_out()

    def _release(self, ticket: _Ticket) -> None:
        if ticket.alarm:
            ticket.alarm.cancel()
            ticket.alarm = None
        if ticket.place:
            ticket.place.tickets.pop(ticket.ask.id, None)
            ticket.place = None

    def _abandon(self, ticket: _Ticket) -> None:
        """Take an ask back that nobody waits for any more."""
        if ticket in self._waiting:
            self._waiting.remove(ticket)
        if ticket.place:
            ticket.place.worker.drop(ticket.ask.id)
            self._release(ticket)
            self._hand_out()

    def _too_slow(self, ticket: _Ticket, place: _Place) -> None:
        log.error("a worker did not answer within %s s", self._size.seconds)
        self._settle(ticket, AnswerFailed("timeout"))
        place.worker.kill()

    def _died(self, place: _Place) -> None:
        if self._is_stopping:
            return
        place.is_ready = False
        place.deaths += 1
        self._restarts += 1
        orphans = list(place.tickets.values())
        log.warning("worker %d died with %d asks in hand; it is replaced", place.number, len(orphans))
        for ticket in orphans:
            self._release(ticket)
        for ticket in reversed(orphans):
            if ticket.tries >= TRIES:
                ticket.happenings.put_nowait(AnswerFailed("failed"))
            else:
                self._waiting.appendleft(ticket)
        task = asyncio.get_running_loop().create_task(self._replace(place))
        self._restarting.add(task)
        task.add_done_callback(self._restarting.discard)
        self._hand_out()

    async def _replace(self, place: _Place) -> None:
        while not self._is_stopping:
            await asyncio.sleep(RESTART_PAUSES[min(place.deaths - 1, len(RESTART_PAUSES) - 1)])
            place.worker = self._make()
            try:
                await self._begin(place)
                return
            except UserError as error:
                place.deaths += 1
                log.error("worker %d did not start, and is started again: %s", place.number, error)
