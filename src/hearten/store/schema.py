"""The one table: what happened, in order. Nothing in it is changed; deleting a person's things removes their rows."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Float, Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

ID = String(40)


class Base(DeclarativeBase):
    """Holds the tables."""


class Event(Base):
    """Something that happened."""

    __tablename__ = "events"

    seq: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    """The order of events."""
    id: Mapped[str] = mapped_column(ID, unique=True)
    """Unguessable; what the outside knows the event (a turn, a report) by."""
    kind: Mapped[str] = mapped_column(String(20))
    at: Mapped[float] = mapped_column(Float(53))
    """Seconds since 1970."""
    visitor: Mapped[str] = mapped_column(ID)
    conversation: Mapped[str | None] = mapped_column(ID)
    about: Mapped[str | None] = mapped_column(ID)
    """The event that this one is about: the turn that is rated, the report that is decided on."""
    key: Mapped[str | None] = mapped_column(String(240))
    """What may happen only once for a visitor: the same key again is the same event."""
    model: Mapped[str | None] = mapped_column(String(200))
    """Which model the event comes from or is about."""
    config: Mapped[str | None] = mapped_column(String(64))
    """Short hash of that model's settings and data."""
    body: Mapped[dict[str, Any]] = mapped_column(JSON)

    __table_args__ = (
        UniqueConstraint("visitor", "key", name="once"),
        Index("events_of_conversation", "conversation", "seq"),
        Index("events_of_visitor", "visitor", "kind"),
        Index("events_of_kind", "kind", "seq"),
        Index("events_about", "about"),
    )
