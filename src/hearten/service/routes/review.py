"""For the operator: what people objected to or wrote better, decisions on it, counts, and the export."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response
from pydantic import AfterValidator, BaseModel, Field

from hearten.service import wire
from hearten.service.context import Id, The, is_operator
from hearten.service.errors import ApiError, not_found
from hearten.store.review import KINDS, Decision, Item, ItemKind, Review, State

router = APIRouter(prefix="/api/review", tags=["review"], dependencies=[Depends(is_operator)])


def _distinct(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))


class NewDecision(wire.Request):
    """What becomes of an item; to amend needs the text that shall stand."""

    decision: Decision
    text: Annotated[wire.Text, Field(max_length=4000)] | None = None
    tags: Annotated[
        list[Annotated[wire.Text, Field(max_length=60)]], Field(max_length=20), AfterValidator(_distinct)
    ] = Field(default_factory=list)


class Said(BaseModel):
    """A turn before the one that is meant."""

    role: str
    text: str


class ReviewItem(BaseModel):
    """Something to decide on."""

    id: str
    kind: ItemKind
    state: State
    created: str
    context: list[Said]
    text: str
    reason: str | None = None
    note: str | None = None
    edit: str | None = None
    read: str | None = None
    emotion: str | None = None
    tags: list[str] = []
    amended: str | None = None
    model: str | None = None
    config: str | None = None
    dialogue_reported: bool
    """The dialogue has a report and is kept apart from others."""
    consent: bool
    """The person allows research use; without it the item is never exported."""


class Count(BaseModel):
    """How much came on a day (UTC)."""

    day: str
    kind: ItemKind
    count: int


@router.get("/queue")
async def queue(
    service: The,
    state: Annotated[State, Query()] = "open",
    kind: Annotated[ItemKind | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> list[ReviewItem]:
    """List what waits for a decision, or was decided, the oldest first."""
    found = await Review(service.store).items([state], [kind] if kind else KINDS, limit, offset)
    return [_shown(item) for item in found]


@router.get("/counts")
async def counts(service: The) -> list[Count]:
    """Say how much came on each day."""
    return [Count(**one) for one in await Review(service.store).counts()]


@router.get("/export", response_class=Response, responses={200: {"content": {"application/jsonl": {}}}})
async def export(service: The, part: Annotated[Literal["all", "reported", "unreported"], Query()] = "all") -> Response:
    """Give what was accepted or amended, of people who allow research use, as lines of JSON.

    Dialogues in which something was reported are marked, and `part` keeps them apart.
    """
    found = await Review(service.store).items(["accepted", "amended"])
    chosen = [item for item in found if item.has_consent and part in ("all", _part(item))]
    text = "".join(json.dumps(_shown(item).model_dump(), ensure_ascii=False) + "\n" for item in chosen)
    headers = {"Content-Disposition": 'attachment; filename="hearten-review.jsonl"'}
    return Response(text, media_type="application/jsonl", headers=headers)


@router.post("/{item}")
async def decide(item: Id, wanted: NewDecision, service: The) -> dict[str, str]:
    """Accept, amend or reject an item; a later decision counts more than an earlier one."""
    if wanted.decision == "amend" and not (wanted.text or "").strip():
        raise ApiError(422, "invalid", "text: to amend, write what shall stand instead")
    review = Review(service.store)
    if not await review.decide(item, wanted.decision, wanted.text, wanted.tags):
        raise not_found()
    return {"id": item, "decision": wanted.decision}


def _part(item: Item) -> str:
    return "reported" if item.is_reported else "unreported"


def _shown(item: Item) -> ReviewItem:
    body: dict[str, Any] = item.event.body
    return ReviewItem(
        id=item.event.id,
        kind=item.event.kind,  # type: ignore[arg-type]
        state=item.state,
        created=wire.stamp(item.event.at),
        context=[Said(role=role, text=text) for role, text in item.context],
        text=item.text,
        reason=body.get("reason"),
        note=body.get("note"),
        edit=body.get("text") if item.event.kind == "edit" else None,
        read=item.read,
        emotion=body.get("emotion"),
        tags=item.tags,
        amended=item.amended,
        model=item.event.model,
        config=item.event.config,
        dialogue_reported=item.is_reported,
        consent=item.has_consent,
    )
