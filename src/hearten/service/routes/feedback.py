"""What people say of replies: report, edit, thumb, and how they really felt."""

from typing import Any, Literal

from fastapi import APIRouter

from hearten.service import wire
from hearten.service.context import ActingVisitor, Id, Service, The, own_turn
from hearten.service.errors import ApiError
from hearten.store.events import Fact, Kind

router = APIRouter(prefix="/api/turns", tags=["feedback"])


@router.post("/{turn}/report")
async def report(turn: Id, wanted: wire.NewReport, visitor: ActingVisitor, service: The) -> wire.Turn:
    """Say what is wrong with a reply."""
    return await _note(service, visitor, turn, "report", {"reason": wanted.reason, "note": wanted.note or None})


@router.post("/{turn}/edit")
async def edit(turn: Id, wanted: wire.NewEdit, visitor: ActingVisitor, service: The) -> wire.Turn:
    """Write what a reply should have been."""
    return await _note(service, visitor, turn, "edit", {"text": wanted.text})


@router.post("/{turn}/rating")
async def rating(turn: Id, wanted: wire.NewRating, visitor: ActingVisitor, service: The) -> wire.Turn:
    """Give a thumb up (1) or down (-1), or take it back (0)."""
    return await _note(service, visitor, turn, "rating", {"value": wanted.value})


@router.post("/{turn}/emotion")
async def emotion(turn: Id, wanted: wire.NewEmotion, visitor: ActingVisitor, service: The) -> wire.Turn:
    """Say how one really felt."""
    return await _note(service, visitor, turn, "emotion", {"emotion": wanted.emotion}, "speaker")


async def _note(
    service: Service,
    visitor: str,
    turn: str,
    kind: Kind,
    body: dict[str, Any],
    role: Literal["speaker", "listener"] = "listener",
) -> wire.Turn:
    """Store what somebody says of a turn; saying the same twice in a row changes nothing."""
    view, found = await own_turn(service, visitor, turn)
    if found.role != role:
        whose = "your own messages" if role == "speaker" else "replies"
        raise ApiError(409, "wrong_turn", f"This can be said of {whose} only.")
    if body != found.said_of.get(kind):
        about = found if role == "listener" else view.reply_to(turn)
        origin = {"model": about.model, "config": about.config} if about else {}
        await service.store.append(Fact(kind, visitor, view.id, turn, body, **origin))  # type: ignore[arg-type]
        service.metrics.feedback.labels(kind).inc()
    _, after = await own_turn(service, visitor, turn)
    return wire.turn(after)
