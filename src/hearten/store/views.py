"""From events to what people see: a conversation as it stands now."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hearten.dialogue import Role, Turn
from hearten.store.events import Recorded

UNTITLED = "New conversation"
TITLE_LENGTH = 48


@dataclass
class TurnView:
    """A turn with everything that happened to it."""

    id: str
    role: Role
    text: str
    created: float
    model: str | None = None
    config: str | None = None
    intent: str | None = None
    plan: str | None = None
    crisis: dict[str, Any] | None = None
    alternatives: list[dict[str, Any]] = field(default_factory=list)
    is_stopped: bool = False
    """The person stopped the reply (of a speaker's turn: before it had begun)."""
    reading: dict[str, Any] | None = None
    corrected: str | None = None
    rating: int = 0
    reported: str | None = None
    edited: str | None = None
    said_of: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The last word of the person on this turn, by kind of event."""


@dataclass
class ConversationView:
    """A conversation as it stands now."""

    id: str
    visitor: str
    system: str
    created: float
    title: str | None = None
    updated: float = 0.0
    turns: list[TurnView] = field(default_factory=list)
    """What is shown: for each turn of the person the newest reply, if there is one."""
    replies: dict[str, list[TurnView]] = field(default_factory=dict)
    """All replies to each turn of the person, oldest first."""
    keys: dict[str, Recorded] = field(default_factory=dict)
    """What happened once, by its key."""

    @property
    def shown_title(self) -> str:
        """The title given by the person, or the beginning of what they said first."""
        return self.title or opening(self.turns[0].text if self.turns else "")

    def find(self, turn: str) -> TurnView | None:
        """Return a turn, also one that was replaced by another reply."""
        everything = [*self.turns, *(one for many in self.replies.values() for one in many)]
        return next((one for one in everything if one.id == turn), None)

    def reply_to(self, turn: str) -> TurnView | None:
        """Return the newest reply to a turn of the person."""
        return next(reversed(self.replies.get(turn, [])), None)

    def before(self, turn: str) -> list[Turn]:
        """Return what was said up to a turn of the person, that turn included."""
        said: list[Turn] = []
        for one in self.turns:
            said.append(Turn(one.role, one.text))
            if one.id == turn:
                break
        return said


def opening(text: str) -> str:
    """Return the beginning of a text as a title."""
    flat = " ".join(text.split())
    if not flat:
        return UNTITLED
    return flat if len(flat) <= TITLE_LENGTH else flat[: TITLE_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def fold(events: Iterable[Recorded]) -> ConversationView | None:
    """Go through the events of one conversation in order; None where there is no such conversation."""
    view: ConversationView | None = None
    for event in events:
        if event.kind == "conversation":
            view = ConversationView(event.id, event.visitor, event.body["system"], event.at)
        if view is not None:
            view.updated = event.at if event.kind in ("conversation", "turn", "title") else view.updated
            if event.key is not None:
                view.keys[event.key] = event
            _apply(view, event)
    return view


def _apply(view: ConversationView, event: Recorded) -> None:
    if event.kind == "title":
        view.title = event.body["title"]
    elif event.kind == "turn":
        _add_turn(view, event)
    elif event.about is not None and (turn := view.find(event.about)) is not None:
        _annotate(turn, event)


def turn_view(event: Recorded) -> TurnView:
    """Return a turn as it was said."""
    body = event.body
    return TurnView(
        id=event.id,
        role=body["role"],
        text=body["text"],
        created=event.at,
        model=event.model,
        config=event.config,
        intent=body.get("intent"),
        plan=body.get("plan"),
        crisis=body.get("crisis"),
        alternatives=body.get("alternatives", []),
        is_stopped=body.get("stopped", False),
    )


def _add_turn(view: ConversationView, event: Recorded) -> None:
    turn = turn_view(event)
    if turn.role == "speaker":
        view.turns.append(turn)
        return
    asked = str(event.about)
    view.replies.setdefault(asked, []).append(turn)
    place = next((n for n, one in enumerate(view.turns, start=1) if one.id == asked), len(view.turns))
    if place < len(view.turns) and view.turns[place].role == "listener":
        view.turns[place] = turn
    else:
        view.turns.insert(place, turn)


def _annotate(turn: TurnView, event: Recorded) -> None:
    turn.said_of[event.kind] = event.body
    match event.kind:
        case "reading":
            turn.reading = event.body
        case "emotion":
            turn.corrected = event.body["emotion"]
        case "rating":
            turn.rating = event.body["value"]
        case "report":
            turn.reported = event.body["reason"]
        case "edit":
            turn.edited = event.body["text"]
        case "stop":
            turn.is_stopped = True
