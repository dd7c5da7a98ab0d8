"""The store: writes events, reads conversations, forgets people. Reading and writing never block the event loop."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Delete, Engine, Select, Table, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from hearten.store.database import is_sqlite, migrate, open_readers, open_writer, parse
from hearten.store.events import Fact, Recorded
from hearten.store.lock import FileLock
from hearten.store.schema import Event
from hearten.store.views import ConversationView, fold, opening
from hearten.store.writer import Writer, translated

EVENTS = cast(Table, Event.__table__)
COLUMNS = tuple(EVENTS.c[name] for name in Recorded.__slots__)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Entry:
    """A conversation in the list of somebody's conversations."""

    id: str
    title: str
    created: float
    updated: float
    turns: int


class Store:
    """Everything that is kept, behind one door."""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        address = parse(url)
        self._clock = clock
        self._lock = FileLock(f"{address.database}.lock") if is_sqlite(address) else None
        engine = open_writer(address)
        migrate(engine)
        self._engines: list[Engine] = [engine, open_readers(address)]
        self._writer = Writer(engine)

    def close(self) -> None:
        """Write what waits, and let go of the database."""
        self._writer.close()
        for engine in self._engines:
            engine.dispose()
        if self._lock:
            self._lock.release()

    async def append(self, *facts: Fact) -> list[Recorded]:
        """Write facts down, all or none, and return once they are safe.

        A fact whose key happened before is not written again; what happened then is returned instead.
        """
        now = self._clock()
        return await asyncio.wrap_future(
            self._writer.submit(lambda connection: [_append(connection, fact, now) for fact in facts])
        )

    async def conversation(self, visitor: str, conversation: str) -> ConversationView | None:
        """Return a conversation as it stands, if it is this visitor's."""
        wanted = select(*COLUMNS).where(EVENTS.c.conversation == conversation).order_by(EVENTS.c.seq)
        view = fold(await self.read(wanted))
        return view if view is not None and view.visitor == visitor else None

    async def conversation_of(self, visitor: str, turn: str) -> ConversationView | None:
        """Return the conversation that a turn of this visitor is in."""
        wanted = select(*COLUMNS).where(EVENTS.c.id == turn, EVENTS.c.kind == "turn", EVENTS.c.visitor == visitor)
        found = await self.read(wanted)
        return await self.conversation(visitor, str(found[0].conversation)) if found else None

    async def consent(self, visitor: str) -> Recorded | None:
        """Return the visitor's last word on research use."""
        wanted = select(*COLUMNS).where(EVENTS.c.visitor == visitor, EVENTS.c.kind == "consent")
        found = await self.read(wanted.order_by(EVENTS.c.seq.desc()).limit(1))
        return found[0] if found else None

    async def is_known(self, visitor: str) -> bool:
        """Say whether anything of this visitor is stored."""
        return bool(await self.read(select(*COLUMNS).where(EVENTS.c.visitor == visitor).limit(1)))

    async def entries(self, visitor: str) -> list[Entry]:
        """List a visitor's conversations, the one talked in last first."""
        return await self.do(lambda connection: _entries(connection, visitor))

    async def forget_conversation(self, visitor: str, conversation: str) -> bool:
        """Delete a conversation and all that was said of it; False if the visitor has no such conversation."""
        chosen = delete(EVENTS).where(EVENTS.c.visitor == visitor, EVENTS.c.conversation == conversation)
        return await self._erase(chosen) > 0

    async def forget_visitor(self, visitor: str) -> None:
        """Delete everything of a visitor."""
        await self._erase(delete(EVENTS).where(EVENTS.c.visitor == visitor))

    async def forget_older(self, seconds: float) -> int:
        """Delete conversations in which nothing happened for so long, and return how many events that were."""
        idle = (
            select(EVENTS.c.conversation)
            .where(EVENTS.c.conversation.is_not(None))
            .group_by(EVENTS.c.conversation)
            .having(func.max(EVENTS.c.at) < self._clock() - seconds)
        )
        return await self._erase(delete(EVENTS).where(EVENTS.c.conversation.in_(idle)))

    async def read(self, wanted: Select[Any]) -> list[Recorded]:
        """Return the events that a query over all columns finds."""
        return await self.do(lambda connection: [Recorded(*row) for row in connection.execute(wanted)])

    async def do(self, look: Callable[[Connection], Result]) -> Result:
        """Run something that only reads, in a thread."""
        return await asyncio.to_thread(self._look, look)

    def _look(self, look: Callable[[Connection], Result]) -> Result:
        try:
            with self._engines[1].begin() as connection:
                return look(connection)
        except SQLAlchemyError as error:
            raise translated(error) from None

    async def _erase(self, statement: Delete) -> int:
        def run(connection: Connection) -> int:
            return connection.execute(statement).rowcount

        return await asyncio.wrap_future(self._writer.submit(run, is_erasure=True))


def _append(connection: Connection, fact: Fact, now: float) -> Recorded:
    """Insert; where the key or id is there already (perhaps since this moment, by another server), return that."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    adding = insert(EVENTS).values(at=now, **asdict(fact)).on_conflict_do_nothing().returning(EVENTS.c.seq)
    written = connection.execute(adding).scalar_one_or_none()
    if written is not None:
        return Recorded(seq=written, at=now, **asdict(fact))
    same = (EVENTS.c.id == fact.id) | ((EVENTS.c.visitor == fact.visitor) & (EVENTS.c.key == fact.key))
    return Recorded(*connection.execute(select(*COLUMNS).where(same)).one())


def _entries(connection: Connection, visitor: str) -> list[Entry]:
    own = EVENTS.c.visitor == visitor
    begun = select(EVENTS.c.conversation, EVENTS.c.at).where(own, EVENTS.c.kind == "conversation")
    spoken = (
        select(
            EVENTS.c.conversation,
            func.min(EVENTS.c.seq),
            func.max(EVENTS.c.at),
            # Turns of the person are about nothing; several replies to one of them count once.
            func.count() - func.count(EVENTS.c.about) + func.count(EVENTS.c.about.distinct()),
        )
        .where(own, EVENTS.c.kind == "turn")
        .group_by(EVENTS.c.conversation)
    )
    turns = {row[0]: row for row in connection.execute(spoken)}
    firsts = select(EVENTS.c.conversation, EVENTS.c.body).where(EVENTS.c.seq.in_([row[1] for row in turns.values()]))
    titles = {row[0]: opening(row[1]["text"]) for row in connection.execute(firsts)}
    renamed = select(EVENTS.c.conversation, EVENTS.c.body).where(own, EVENTS.c.kind == "title").order_by(EVENTS.c.seq)
    titles |= {row[0]: row[1]["title"] for row in connection.execute(renamed)}
    found = [
        Entry(
            id=name,
            title=titles.get(name) or opening(""),
            created=at,
            updated=turns[name][2] if name in turns else at,
            turns=turns[name][3] if name in turns else 0,
        )
        for name, at in connection.execute(begun)
    ]
    return sorted(found, key=lambda entry: (-entry.updated, entry.id))
