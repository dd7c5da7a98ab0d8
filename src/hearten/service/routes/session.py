"""Who is here, what they agreed to, and forgetting them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from hearten.service import wire
from hearten.service.cards import lines
from hearten.service.context import ActingVisitor, The
from hearten.service.intents import intents
from hearten.store.events import Fact
from hearten.taxonomy import BY_NAME, EMOTIONS

router = APIRouter(prefix="/api", tags=["session"])


@router.get("/session")
async def session(request: Request, response: Response, service: The) -> dict[str, Any]:
    """Say who is here, and all that a page needs to know; gives new visitors their cookie."""
    visitor = service.sessions.visitor(request)
    is_known = visitor is not None and await service.store.is_known(visitor)
    consent = await service.store.consent(visitor) if visitor else None
    if visitor is None:
        service.sessions.welcome(response)
    return {
        "visitor": is_known,
        "consent": {
            "research": consent.body["research"] if consent else False,
            "at": wire.stamp(consent.at) if consent else None,
        },
        "limits": {"text": service.settings.text_limit, "turns_per_minute": service.settings.turns_per_minute},
        "systems": [
            {"id": one.id, "title": one.title, "about": one.about, "default": number == 0}
            for number, one in enumerate(service.engine.systems)
        ],
        "intents": intents(),
        "emotions": [
            {"id": name, "gloss": BY_NAME[name].gloss, "valence": BY_NAME[name].valence, "colour": BY_NAME[name].colour}
            for name in EMOTIONS
        ],
        "countries": wire.known_countries(),
    }


@router.put("/consent")
async def consent(wanted: wire.NewConsent, visitor: ActingVisitor, service: The) -> dict[str, Any]:
    """Allow or forbid research use of one's conversations."""
    [stored] = await service.store.append(Fact("consent", visitor, body={"research": wanted.research}))
    return {"research": wanted.research, "at": wire.stamp(stored.at)}


@router.get("/helplines")
async def helplines(country: Annotated[wire.Country | None, Query()] = None) -> list[wire.Helpline]:
    """Say whom a person in a country can call."""
    return [wire.Helpline(**line) for line in lines(country)]


@router.delete("/me", status_code=204)
async def forget_me(visitor: ActingVisitor, response: Response, service: The) -> None:
    """Delete everything of the visitor, and the cookie with it."""
    await service.store.forget_visitor(visitor)
    service.sessions.farewell(response)
