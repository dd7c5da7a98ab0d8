"""Conversations: list, begin, read, rename, delete, export, and how the person felt along the way."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from hearten.service import wire
from hearten.service.context import ActingVisitor, Id, The, Visitor, own_conversation
from hearten.service.errors import ApiError, not_found
from hearten.service.export import markdown, trajectory
from hearten.store.events import Fact, new_id

router = APIRouter(prefix="/api/conversations", tags=["conversations"])


@router.get("")
async def entries(visitor: Visitor, service: The) -> list[wire.Summary]:
    """List the visitor's conversations, the newest first."""
    return [
        wire.Summary(
            id=entry.id,
            title=entry.title,
            created=wire.stamp(entry.created),
            updated=wire.stamp(entry.updated),
            turns=entry.turns,
        )
        for entry in await service.store.entries(visitor)
    ]


@router.post("", status_code=201)
async def begin(wanted: wire.NewConversation, visitor: ActingVisitor, service: The) -> wire.Conversation:
    """Begin a conversation with a system."""
    known = {one.id: one for one in service.engine.systems}
    name = wanted.system or service.engine.systems[0].id
    if name not in known:
        raise ApiError(422, "invalid", "system: this is not one of the systems that /api/session lists")
    name_of = new_id()
    system = known[name]
    await service.store.append(
        Fact(
            "conversation",
            visitor,
            name_of,
            body={"system": name},
            id=name_of,
            model=system.model,
            config=system.config,
        )
    )
    return wire.conversation(await own_conversation(service, visitor, name_of))


@router.get("/{conversation}")
async def read(conversation: Id, visitor: Visitor, service: The) -> wire.Conversation:
    """Read a conversation as it stands."""
    return wire.conversation(await own_conversation(service, visitor, conversation))


@router.patch("/{conversation}")
async def rename(conversation: Id, wanted: wire.NewTitle, visitor: ActingVisitor, service: The) -> wire.Conversation:
    """Give a conversation another title."""
    await own_conversation(service, visitor, conversation)
    await service.store.append(Fact("title", visitor, conversation, body={"title": wanted.title.strip()}))
    return wire.conversation(await own_conversation(service, visitor, conversation))


@router.delete("/{conversation}", status_code=204)
async def forget(conversation: Id, visitor: ActingVisitor, service: The) -> None:
    """Delete a conversation for good."""
    if not await service.store.forget_conversation(visitor, conversation):
        raise not_found()


@router.get("/{conversation}/export", response_model=None)
async def export(
    conversation: Id, visitor: Visitor, service: The, format: Annotated[Literal["json", "markdown"], Query()] = "json"
) -> Response:
    """Give the person their conversation as a file."""
    view = await own_conversation(service, visitor, conversation)
    if format == "json":
        text, kind, ending = wire.conversation(view).model_dump_json(indent=1), "application/json", "json"
    else:
        text, kind, ending = markdown(view), "text/markdown; charset=utf-8", "md"
    headers = {"Content-Disposition": f'attachment; filename="conversation-{conversation[:8]}.{ending}"'}
    return Response(text, media_type=kind, headers=headers)


@router.get("/{conversation}/trajectory")
async def moments(conversation: Id, visitor: Visitor, service: The) -> list[wire.Moment]:
    """Say how the person felt at each of their turns."""
    view = await own_conversation(service, visitor, conversation)
    found: list[dict[str, Any]] = trajectory(view)
    return [wire.Moment(**one) for one in found]
