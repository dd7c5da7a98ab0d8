"""Replies in the making: one task for each, which outlives the connection that asked and may be followed by several.

The person's turn is stored before anybody hears of it, and the reply before it is sent as whole. A repeated key finds
the reply in the making, or the stored one; after a crash in between, it sets the making going again.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass, field
from typing import Any
from zlib import crc32

from hearten.dialogue import Turn
from hearten.safety.answers import crisis_reply
from hearten.safety.detect import crisis
from hearten.safety.kinds import Crisis
from hearten.service import wire
from hearten.service.cards import card
from hearten.service.engine import Answered, AnswerFailed, Ask, Engine, Piece, Read, Served
from hearten.service.errors import named
from hearten.service.metrics import Metrics
from hearten.service.traces import where
from hearten.store.events import Fact, Kind, Recorded, new_id
from hearten.store.store import Store
from hearten.store.views import ConversationView, TurnView, turn_view

log = logging.getLogger("hearten.service")
GRACE_SECONDS = 0.5
"""How long a reply is made on for somebody whose connection broke."""
CONTEXT = 40
"""Turns of a conversation that an engine is given."""
FAILED = {
    "timeout": "The reply took too long. Please try again.",
    "stopping": "The server is being restarted. Please try again in a moment.",
}
SORRY = "No reply could be made just now. Please try again."


@dataclass(frozen=True, slots=True)
class Sent:
    """An event of the stream."""

    name: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What reply is to be made."""

    view: ConversationView
    turn: TurnView
    """The person's."""
    key: str
    """Under which the reply is stored, once."""
    country: str | None = None
    earlier: tuple[str, ...] = ()
    """Replies to the same turn that were not wanted."""

    def fact(self, kind: Kind, body: dict[str, Any], key: str, served: Served | None = None) -> Fact:
        """Return something that happened to the person's turn."""
        return Fact(
            kind,
            self.view.visitor,
            self.view.id,
            self.turn.id,
            body,
            key,
            served.model if served else None,
            served.config if served else None,
        )


class Making:
    """A reply in the making, or made."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.is_done = False
        self.followers = 0
        self.shown = ""
        self.task: asyncio.Task[None] | None = None
        self.is_stopped = False
        self.is_left = False
        self._news = asyncio.Event()

    def tell(self, name: str, data: dict[str, Any], is_last: bool = False) -> None:
        """Send an event to all who follow."""
        self.sent.append(Sent(name, data))
        self.is_done = self.is_done or is_last
        self._news.set()
        self._news = asyncio.Event()

    async def follow(self) -> AsyncGenerator[Sent, None]:
        """Give all events, those of the past at once; leaving the last seat empty ends the making soon."""
        self.followers += 1
        seen = 0
        try:
            while True:
                for event in self.sent[seen:]:
                    seen += 1
                    yield event
                if self.is_done and seen == len(self.sent):
                    return
                if seen == len(self.sent):
                    await self._news.wait()
        finally:
            self.followers -= 1
            if not self.followers and not self.is_done:
                asyncio.get_running_loop().call_later(GRACE_SECONDS, self._leave)

    def _leave(self) -> None:
        if not self.followers and self.task and not self.is_done:
            self.is_left = True
            self.task.cancel()


@dataclass
class Replying:
    """All replies in the making of one server."""

    store: Store
    engine: Engine
    metrics: Metrics
    running: dict[str, Making] = field(default_factory=dict)
    """By the key under which the reply will be stored."""

    async def say(self, view: ConversationView, said: wire.NewTurn) -> Making:
        """Store what the person says and begin to answer."""
        body = {"role": "speaker", "text": said.text, "intent": said.intent}
        fact = Fact("turn", view.visitor, view.id, body=body, key=say_key(view, said.key))
        [stored] = await self.store.append(fact)
        fresh = await self._fresh(view) if stored.id != fact.id else _with(view, stored)
        turn = fresh.find(stored.id)
        assert turn is not None
        return self.resume(Wanted(fresh, turn, f"reply/{turn.id}", said.country))

    def again(self, view: ConversationView, turn: TurnView, wanted: wire.Again) -> Making:
        """Make another reply to a turn."""
        key = again_key(view, wanted.key)
        if made := view.keys.get(key):
            found = view.find(made.id)
            asked = view.find(str(made.about))
            assert found is not None and asked is not None
            return finished(asked, found)
        earlier = tuple(one.text for one in view.replies.get(turn.id, []))
        return self._begin(Wanted(view, turn, key, wanted.country, earlier))

    def resume(self, wanted: Wanted) -> Making:
        """Find the reply, join its making, or begin it."""
        reply = wanted.view.reply_to(wanted.turn.id)
        if reply is not None or wanted.turn.is_stopped:
            return finished(wanted.turn, reply)
        return self._begin(wanted)

    def stop(self, turn: str) -> bool:
        """Stop making the reply to a turn; what is there of it is kept."""
        found = [making for making in self.running.values() if making.sent and _turn_of(making) == turn]
        for making in found:
            making.is_stopped = True
            if making.task:
                making.task.cancel()
        return bool(found)

    async def close(self) -> None:
        """Wait until nothing is in the making."""
        tasks = [making.task for making in self.running.values() if making.task]
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, wanted: Wanted) -> Making:
        running = self.running.get(wanted.key)
        if running and not running.is_left:
            return running
        making = self.running[wanted.key] = Making()
        making.tell("turn", {"turn": wire.turn(wanted.turn).model_dump()})
        making.task = asyncio.get_running_loop().create_task(self._make(making, wanted))
        making.task.add_done_callback(lambda _: self._end(wanted.key, making))
        return making

    def _end(self, key: str, making: Making) -> None:
        if self.running.get(key) is making:
            del self.running[key]

    async def _make(self, making: Making, wanted: Wanted) -> None:
        began = time.perf_counter()
        outcome = "failed"
        try:
            outcome = await self._answer(making, wanted)
            self.metrics.whole.observe(time.perf_counter() - began)
        except asyncio.CancelledError:
            outcome = "stopped" if making.is_stopped else "left"
            if making.is_stopped:
                await self._keep_stopped(making, wanted)
            else:
                making.tell("error", {"code": "left", "message": SORRY}, is_last=True)
        except AnswerFailed as error:
            making.tell("error", {"code": error.code, "message": FAILED.get(error.code, SORRY)}, is_last=True)
        except Exception as error:
            log.error("a reply failed: %s", where(error))
            known = named(error)
            making.tell("error", {"code": known.code, "message": known.message}, is_last=True)
        self.metrics.replies.labels(wanted.view.system, outcome).inc()

    async def _answer(self, making: Making, wanted: Wanted) -> str:
        context = wanted.view.before(wanted.turn.id)[-CONTEXT:]
        danger = await asyncio.to_thread(danger_in, context)
        if danger:
            self.metrics.crises.labels(danger.kind).inc()
            words = crisis_reply(danger, wanted.country)
            await self._store(making, wanted, {"text": words, "crisis": card(danger, wanted.country)}, None)
            return "crisis"
        answer, reading = await self._generated(making, wanted, tuple(context))
        self.metrics.efforts.labels(answer.effort).inc()
        await self._store(making, wanted, asdict(answer), reading)
        return "withheld" if answer.withheld else "answered"

    async def _generated(
        self, making: Making, wanted: Wanted, context: tuple[Turn, ...]
    ) -> tuple[Answered, dict[str, Any] | None]:
        began = time.perf_counter()
        reading: dict[str, Any] | None = None
        ask = _ask(wanted, context, served_by(self.engine, wanted.view.system).id)
        async with contextlib.aclosing(self.engine.stream(ask)) as happenings:
            async for happening in happenings:
                if isinstance(happening, Read):
                    reading = happening.table
                    making.tell("reading", {"turn_id": wanted.turn.id, **reading})
                elif isinstance(happening, Piece):
                    if not making.shown:
                        self.metrics.first.observe(time.perf_counter() - began)
                    making.shown += happening.text
                    making.tell("piece", {"text": happening.text})
                else:
                    return happening, reading
        raise AnswerFailed("failed")

    async def _store(
        self, making: Making, wanted: Wanted, body: dict[str, Any], reading: dict[str, Any] | None
    ) -> None:
        """Store the reply, then send it. If another server was faster, its reply is the one."""
        served = served_by(self.engine, wanted.view.system)
        facts = [wanted.fact("turn", {"role": "listener", **body}, wanted.key, served)]
        if reading:
            facts.insert(0, wanted.fact("reading", reading, f"reading/{wanted.turn.id}", served))
        stored = (await self.store.append(*facts))[-1]
        making.tell("reply", {"turn": wire.turn(turn_view(stored)).model_dump()}, is_last=True)

    async def _keep_stopped(self, making: Making, wanted: Wanted) -> None:
        """Keep what was shown until the person said stop, or that they did."""
        if making.shown.strip():
            await self._store(making, wanted, {"text": making.shown, "stopped": True}, None)
            return
        await self.store.append(wanted.fact("stop", {}, f"stop/{wanted.key}"))
        making.tell("error", _stopped(), is_last=True)

    async def _fresh(self, view: ConversationView) -> ConversationView:
        found = await self.store.conversation(view.visitor, view.id)
        return found or view


def say_key(view: ConversationView, key: str) -> str:
    """Return the key under which a message is stored."""
    return f"say/{view.id}/{key}"


def again_key(view: ConversationView, key: str) -> str:
    """Return the key under which another reply is stored."""
    return f"again/{view.id}/{key}"


def finished(turn: TurnView, reply: TurnView | None) -> Making:
    """Return the stream of a reply that was made long ago."""
    making = Making()
    making.tell("turn", {"turn": wire.turn(turn).model_dump()})
    if turn.reading:
        making.tell("reading", {"turn_id": turn.id, **turn.reading})
    if reply:
        making.tell("reply", {"turn": wire.turn(reply).model_dump()}, is_last=True)
    else:
        making.tell("error", _stopped(), is_last=True)
    return making


def danger_in(context: list[Turn]) -> Crisis | None:
    """Say whether the person's last words need help at once."""
    said = [turn.text for turn in context if turn.role == "speaker"]
    return crisis(said[-1], said[:-1]) if said else None


def served_by(engine: Engine, system: str) -> Served:
    """Return the system that answers a conversation: the one it began with, or the default if that has gone."""
    return next((one for one in engine.systems if one.id == system), engine.systems[0])


def _ask(wanted: Wanted, context: tuple[Turn, ...], system: str) -> Ask:
    return Ask(
        id=new_id(),
        system=system,
        context=context,
        intent=wanted.turn.intent,
        seed=(crc32(wanted.turn.id.encode()) + len(wanted.earlier)) % 2**31,
        avoid=wanted.earlier,
        conversation=wanted.view.id,
    )


def _stopped() -> dict[str, Any]:
    return {"code": "stopped", "message": "Stopped. You can ask for another reply, or go on."}


def _turn_of(making: Making) -> str:
    return str(making.sent[0].data["turn"]["id"])


def _with(view: ConversationView, stored: Recorded) -> ConversationView:
    """Return the conversation with a turn that was just stored."""
    turn = turn_view(stored)
    return ConversationView(
        view.id, view.visitor, view.system, view.created, view.title, stored.at, [*view.turns, turn], view.replies
    )
