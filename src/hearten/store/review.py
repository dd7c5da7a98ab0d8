"""What people reported, wrote better or corrected, as the operator looks through it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Select, select

from hearten.store.events import Fact, Recorded
from hearten.store.store import COLUMNS, EVENTS, Store
from hearten.store.views import ConversationView, fold

ItemKind = Literal["report", "edit", "emotion"]
State = Literal["open", "accepted", "amended", "rejected"]
Decision = Literal["accept", "amend", "reject"]
KINDS: tuple[ItemKind, ...] = ("report", "edit", "emotion")
STATES: dict[Decision, State] = {"accept": "accepted", "amend": "amended", "reject": "rejected"}
CONTEXT = 8
"""Turns before the one that is meant."""


@dataclass(frozen=True)
class Item:
    """Something that somebody said of a turn, what came before the turn, and what was decided."""

    event: Recorded
    context: list[tuple[str, str]]
    """Role and text."""
    text: str
    read: str | None
    """The emotion that was read, where the person corrected it."""
    state: State
    is_reported: bool
    """Somebody reported something in the same conversation."""
    has_consent: bool
    """The person allows research use, as of now."""
    amended: str | None = None
    tags: list[str] = field(default_factory=list)


class Review:
    """The operator's view of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def items(
        self, states: Sequence[State], kinds: Sequence[ItemKind] = KINDS, limit: int | None = None, offset: int = 0
    ) -> list[Item]:
        """Return items in the order in which they came."""
        return await self._store.do(lambda connection: _items(connection, states, kinds, limit, offset))

    async def decide(self, item: str, decision: Decision, text: str | None, tags: Sequence[str]) -> bool:
        """Note a decision; False if there is no such item."""
        found = await self._store.read(select(*COLUMNS).where(EVENTS.c.id == item, EVENTS.c.kind.in_(KINDS)))
        if not found:
            return False
        about = found[0]
        body = {"state": STATES[decision], "text": text, "tags": list(tags)}
        await self._store.append(
            Fact("review", about.visitor, about.conversation, item, body, None, about.model, about.config)
        )
        return True

    async def counts(self) -> list[dict[str, Any]]:
        """Return how many items of each kind came on each day (in UTC)."""
        return await self._store.do(_counts)


def _items(
    connection: Connection, states: Sequence[State], kinds: Sequence[ItemKind], limit: int | None, offset: int
) -> list[Item]:
    decided = _decisions(connection)
    wanted = select(*COLUMNS).where(EVENTS.c.kind.in_(kinds)).order_by(EVENTS.c.seq)
    found = [Recorded(*row) for row in connection.execute(wanted)]
    chosen = [event for event in found if decided.get(event.id, {"state": "open"})["state"] in states]
    chosen = chosen[offset:] if limit is None else chosen[offset : offset + limit]
    consents = _consents(connection)
    views = _views(connection, chosen)
    items = [
        _item(event, views[str(event.conversation)], decided.get(event.id, {}), event.visitor in consents)
        for event in chosen
        if views[str(event.conversation)] is not None
    ]
    return [item for item in items if item is not None]


def _decisions(connection: Connection) -> dict[str, dict[str, Any]]:
    """Return the last decision on each item."""
    wanted = select(EVENTS.c.about, EVENTS.c.body).where(EVENTS.c.kind == "review").order_by(EVENTS.c.seq)
    return {row.about: row.body for row in connection.execute(wanted)}


def _consents(connection: Connection) -> set[str]:
    wanted = select(EVENTS.c.visitor, EVENTS.c.body).where(EVENTS.c.kind == "consent").order_by(EVENTS.c.seq)
    last = {visitor: body["research"] for visitor, body in connection.execute(wanted)}
    return {visitor for visitor, research in last.items() if research}


def _views(connection: Connection, events: Sequence[Recorded]) -> dict[str, ConversationView | None]:
    return {name: fold(_read(connection, name)) for name in {str(event.conversation) for event in events}}


def _read(connection: Connection, conversation: str) -> list[Recorded]:
    wanted: Select[Any] = select(*COLUMNS).where(EVENTS.c.conversation == conversation).order_by(EVENTS.c.seq)
    return [Recorded(*row) for row in connection.execute(wanted)]


def _item(event: Recorded, view: ConversationView | None, decision: dict[str, Any], has_consent: bool) -> Item | None:
    turn = view.find(str(event.about)) if view else None
    if view is None or turn is None:
        return None
    asked = next((name for name, replies in view.replies.items() if turn in replies), None)
    before = view.before(asked or turn.id)
    before = before if asked else before[:-1]
    read = turn.reading["emotions"][0]["id"] if turn.reading and event.kind == "emotion" else None
    reported = any(one.reported for one in [*view.turns, *(one for many in view.replies.values() for one in many)])
    return Item(
        event=event,
        context=[(one.role, one.text) for one in before[-CONTEXT:]],
        text=turn.text,
        read=read,
        state=decision.get("state", "open"),
        is_reported=reported,
        has_consent=has_consent,
        amended=decision.get("text"),
        tags=decision.get("tags", []),
    )


def _counts(connection: Connection) -> list[dict[str, Any]]:
    wanted = select(EVENTS.c.at, EVENTS.c.kind).where(EVENTS.c.kind.in_(KINDS))
    counts: dict[tuple[str, str], int] = {}
    for at, kind in connection.execute(wanted):
        key = (datetime.fromtimestamp(at, UTC).date().isoformat(), kind)
        counts[key] = counts.get(key, 0) + 1
    return [{"day": day, "kind": kind, "count": count} for (day, kind), count in sorted(counts.items())]
