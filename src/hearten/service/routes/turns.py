"""Saying something, getting a reply as a stream, another one, or stopping it."""

from collections.abc import AsyncGenerator
from typing import Any

from fastapi import APIRouter, Response

from hearten.service import wire
from hearten.service.context import ActingVisitor, Id, Service, The, Visitor, own_conversation, own_turn
from hearten.service.errors import ApiError, not_found
from hearten.service.replying import Making, again_key, say_key
from hearten.service.stream import EventStream, event

router = APIRouter(prefix="/api", tags=["turns"])
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `turn`, `reading`, `piece`, and at the end `reply` or `error`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.post("/conversations/{conversation}/turns", status_code=200, response_class=EventStream, responses=STREAM)
async def say(conversation: Id, said: wire.NewTurn, visitor: Visitor, service: The) -> Response:
    """Say something. The turn is stored before the first event, the reply before the last."""
    if len(said.text) > service.settings.text_limit:
        words = f"The message has {len(said.text):,} characters; please keep it under {service.settings.text_limit:,}."
        raise ApiError(413, "too_long", words)
    view = await own_conversation(service, visitor, conversation)
    if say_key(view, said.key) not in view.keys:
        _admit(service, visitor)
    return _followed(await service.replying.say(view, said))


@router.post("/conversations/{conversation}/regenerate", status_code=200, response_class=EventStream, responses=STREAM)
async def again(conversation: Id, wanted: wire.Again, visitor: Visitor, service: The) -> Response:
    """Ask for another reply to the last thing said; the old one stays in the records."""
    view = await own_conversation(service, visitor, conversation)
    asked = next((turn for turn in reversed(view.turns) if turn.role == "speaker"), None)
    if asked is None:
        raise ApiError(409, "nothing_said", "There is nothing to reply to yet. Please say something first.")
    if again_key(view, wanted.key) not in view.keys:
        _admit(service, visitor)
    return _followed(service.replying.again(view, asked, wanted))


@router.post("/turns/{turn}/stop")
async def stop(turn: Id, visitor: ActingVisitor, service: The) -> dict[str, bool]:
    """Stop making the reply to a turn; says whether there was anything to stop."""
    _, found = await own_turn(service, visitor, turn)
    if found.role != "speaker":
        raise not_found()
    return {"stopped": service.replying.stop(turn)}


def _admit(service: Service, visitor: str) -> None:
    """Refuse a new ask before anything is stored, so that trying again is always right."""
    if service.is_draining or not service.engine.is_ready:
        raise ApiError(503, "not_ready", "The server is not ready just now. Please try again in a moment.", 5)
    service.turns.take(visitor)
    service.engine.require_room()


def _followed(making: Making) -> EventStream:
    async def pieces() -> AsyncGenerator[bytes, None]:
        async for sent in making.follow():
            yield event(sent.name, sent.data)

    return EventStream(pieces())
