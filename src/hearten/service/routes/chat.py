"""The OpenAI-compatible door: other programs can talk to hearten as they talk to any language model.

Nothing that comes through here is stored. Crisis and guards are the same as on the page.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any
from zlib import crc32

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from hearten.safety.answers import crisis_reply
from hearten.service.cards import card
from hearten.service.completions import Completion, Form
from hearten.service.context import Service, The
from hearten.service.engine import Answered, AnswerFailed, Ask, Engine, Happening, Piece, Read, Served, at_once
from hearten.service.errors import ApiError
from hearten.service.replying import CONTEXT, danger_in
from hearten.service.stream import EventStream
from hearten.store.events import new_id

router = APIRouter(prefix="/v1", tags=["OpenAI-compatible"])
Step = Happening | dict[str, Any]
"""What happens, and at last what is said of it in the `hearten` object."""
NAME = "hearten"
"""A model of this name is the default system."""


@router.get("/models")
async def models(service: The) -> dict[str, Any]:
    """List the systems as models."""
    found = [{"id": one.id, "object": "model", "created": 0, "owned_by": NAME} for one in service.engine.systems]
    return {"object": "list", "data": found}


@router.post("/chat/completions", response_model=None)
async def complete(wanted: Completion, request: Request, service: The) -> Response:
    """Answer a conversation whose last message is the user's; `hearten` in the answer says how it was read."""
    system = _system(service.engine, wanted.model)
    context = _context(wanted, service)
    if service.is_draining or not service.engine.is_ready:
        raise ApiError(503, "not_ready", "The server is not ready just now. Please try again in a moment.", 5)
    service.programs.take(request.client.host if request.client else "unknown")
    service.engine.require_room()
    options = wanted.stream_options
    form = Form(wanted.model, bool(options and options.include_usage))
    happenings = _happenings(service, wanted, context, system)
    if wanted.stream:
        return EventStream(_chunks(form, happenings))
    return JSONResponse(await _whole(form, happenings))


def _system(engine: Engine, name: str) -> Served:
    found = next((one for one in engine.systems if name in (one.id, one.model)), None)
    if found is None and name != NAME:
        known = ", ".join(one.id for one in engine.systems)
        raise ApiError(404, "model_not_found", f"There is no such model here; known are: {known}")
    return found or engine.systems[0]


def _context(wanted: Completion, service: Service) -> tuple[Any, ...]:
    turns = wanted.turns()
    if not turns or turns[-1].role != "speaker":
        raise ApiError(422, "invalid", "messages: the last one must be from the user, and not empty")
    if len(turns[-1].text) > service.settings.text_limit:
        words = f"The last message is too long; please keep it under {service.settings.text_limit:,} characters."
        raise ApiError(413, "too_long", words)
    return turns[-CONTEXT:]


async def _happenings(
    service: Service, wanted: Completion, context: tuple[Any, ...], system: Served
) -> AsyncGenerator[Step, None]:
    """Give what happens, and at last what is said of it in the `hearten` object."""
    extra: dict[str, Any] = {
        "system": system.id,
        "config": system.config,
        "reading": None,
        "plan": None,
        "crisis": None,
    }
    country = wanted.hearten.country if wanted.hearten else None
    danger = await asyncio.to_thread(danger_in, list(context))
    if danger:
        service.metrics.crises.labels(danger.kind).inc()
        for item in at_once(Answered(crisis_reply(danger, country))):
            yield item
        yield {**extra, "crisis": card(danger, country)}
        return
    intent = wanted.hearten.intent if wanted.hearten else None
    seed = wanted.seed if wanted.seed is not None else crc32(context[-1].text.encode())
    ask = Ask(new_id(), system.id, context, intent, seed % 2**31, conversation=wanted.user or "")
    async with contextlib.aclosing(service.engine.stream(ask)) as happenings:
        async for happening in happenings:
            if isinstance(happening, Read):
                extra["reading"] = happening.table
            else:
                if isinstance(happening, Answered):
                    extra["plan"] = happening.plan
                yield happening
    service.metrics.replies.labels(system.id, "answered").inc()
    yield extra


async def _whole(form: Form, happenings: AsyncGenerator[Step, None]) -> dict[str, Any]:
    text, extra = "", {}
    try:
        async for happening in happenings:
            if isinstance(happening, Answered):
                text = happening.text
            elif isinstance(happening, dict):
                extra = happening
    except AnswerFailed as error:
        raise ApiError(503, error.code, "No reply could be made just now. Please try again.", 1) from None
    return form.whole(text, extra)


async def _chunks(form: Form, happenings: AsyncGenerator[Step, None]) -> AsyncGenerator[bytes, None]:
    """Write the pieces; a reply that turned out otherwise than its pieces ends with a note and the right text."""
    shown = ""
    yield _line(form.chunk({"role": "assistant", "content": ""}))
    try:
        async for happening in happenings:
            if isinstance(happening, Piece):
                shown += happening.text
                yield _line(form.chunk({"content": happening.text}))
            elif isinstance(happening, Answered) and happening.text.strip() != shown.strip():
                yield _line(form.chunk({"content": f"\n\n{happening.text}" if shown else happening.text}))
            elif isinstance(happening, dict):
                yield _line(form.chunk({}, "stop", hearten=happening))
        for chunk in form.last():
            yield _line(chunk)
    except AnswerFailed as error:
        words = "No reply could be made just now. Please try again."
        yield _line({"error": {"message": words, "type": "server_error", "code": error.code, "param": None}})
    yield b"data: [DONE]\n\n"


def _line(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
