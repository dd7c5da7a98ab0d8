"""An in-memory stand-in for the chat server, so that browser tests are fast and can make anything go wrong on cue."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from fake_content import DAYS, PIECES, TOKEN, review_items
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from hearten.safety.helplines import countries, helplines
from hearten.service.intents import intents
from hearten.taxonomy import BY_NAME, EMOTIONS

Json = dict[str, Any]
WEB = Path(str(files("hearten"))) / "web"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


@dataclass
class FakeApi:
    """What the server knows, and what it is told to do wrong next."""

    conversations: dict[str, Json] = field(default_factory=dict)
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Turn ids of speaker and listener by idempotency key."""
    seen: list[tuple[str, str, Json]] = field(default_factory=list)
    """Every changing request: method, path, body."""
    refusals: list[int] = field(default_factory=list)
    """Statuses that the next changing requests are answered with."""
    cuts: int = 0
    """How many of the next streams break off after the first piece."""
    is_held: bool = False
    """Streams wait after the first piece until this is lifted or the reply is stopped."""
    is_silent: bool = False
    """Streams wait before the first piece in the same way."""
    is_stopped: bool = False
    consent: bool = False
    replies: list[str] = field(default_factory=list)
    """Texts of the next replies, in place of the usual one."""
    review: list[Json] = field(default_factory=review_items)

    def bodies(self, method: str, ending: str) -> list[Json]:
        """Return what was sent to addresses with this ending."""
        return [body for verb, path, body in self.seen if verb == method and path.endswith(ending)]

    def turn(self, turn_id: str) -> Json:
        """Return a turn by its id."""
        turns = (turn for one in self.conversations.values() for turn in one["turns"])
        return next(turn for turn in turns if turn["id"] == turn_id)


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _reading(text: str) -> Json:
    word = next((word for word in ("alone", "exam", "promoted") if word in text), None)
    first = {"alone": "lonely", "exam": "anxious", "promoted": "proud", None: "content"}[word]
    start = text.index(word) if word else 0
    evidence = [{"start": start, "end": start + len(word), "weight": 1.4}] if word else []
    guesses = [(first, 0.62), ("sad" if first != "proud" else "joyful", 0.17), ("hopeful", 0.08)]
    return {
        "emotions": [{"id": name, "probability": share} for name, share in guesses],
        "evidence": evidence,
        "unsure": None if word else "the message is short",
    }


def _lines(country: str | None) -> list[Json]:
    return [{"name": one.name, "number": one.number, "about": ""} for one in helplines(country)]


def _summary(one: Json) -> Json:
    return {key: one[key] for key in ("id", "title", "created", "updated", "system")} | {"turns": len(one["turns"])}


def _missing() -> Response:
    return JSONResponse({"error": {"code": "not_found", "message": "There is nothing here."}}, 404)


class Answers:
    """The routes, over one FakeApi."""

    def __init__(self, fake: FakeApi) -> None:
        self.fake = fake

    async def body(self, request: Request) -> Json:
        """Read a request and note it."""
        given = await request.body()
        read: Json = json.loads(given) if given else {}
        self.fake.seen.append((request.method, request.url.path, read))
        return read

    def refusal(self) -> Response | None:
        """Return what a request is refused with, if it is its turn."""
        if not self.fake.refusals:
            return None
        status = self.fake.refusals.pop(0)
        message = {503: "Many people are writing just now.", 422: "That could not be read."}.get(status, "It failed.")
        headers = {"Retry-After": "2"} if status in (429, 503) else {}
        return JSONResponse({"error": {"code": "told", "message": message}}, status, headers)

    async def session(self, request: Request) -> Response:
        """Describe what there is."""
        systems = [
            {"id": "listener", "title": "Listener", "about": "Thinks before it answers.", "default": True},
            {"id": "bm25", "title": "Look-up", "about": "Answers with what others said.", "default": False},
        ]
        labels = [BY_NAME[name] for name in EMOTIONS]
        emotions = [{"id": x.name, "gloss": x.gloss, "valence": x.valence, "colour": x.colour} for x in labels]
        consent = {"research": self.fake.consent, "at": None}
        return JSONResponse(
            {
                "visitor": True,
                "consent": consent,
                "limits": {"text": 2000},
                "systems": systems,
                "intents": intents(),
                "emotions": emotions,
                "countries": countries(),
            }
        )

    async def set_consent(self, request: Request) -> Response:
        """Keep the consent."""
        self.fake.consent = (await self.body(request))["research"]
        return JSONResponse({"research": self.fake.consent, "at": _now()})

    async def listing(self, request: Request) -> Response:
        """List conversations or begin one."""
        if request.method == "GET":
            newest = sorted(self.fake.conversations.values(), key=lambda one: one["updated"], reverse=True)
            return JSONResponse([_summary(one) for one in newest])
        body = await self.body(request)
        if refused := self.refusal():
            return refused
        one = {"id": secrets.token_urlsafe(9), "title": "New conversation", "system": body.get("system", "listener")}
        one |= {"created": _now(), "updated": _now(), "turns": []}
        self.fake.conversations[one["id"]] = one
        return JSONResponse(one, 201)

    async def one(self, request: Request) -> Response:
        """Show, rename or delete a conversation."""
        found = self.fake.conversations.get(request.path_params["id"])
        if found is None:
            return _missing()
        if request.method == "GET":
            return JSONResponse(found)
        body = await self.body(request)
        if refused := self.refusal():
            return refused
        if request.method == "DELETE":
            del self.fake.conversations[found["id"]]
            return Response(status_code=204)
        found["title"] = body["title"]
        return JSONResponse(_summary(found))

    async def turns(self, request: Request) -> Response:
        """Take a message and stream its reply."""
        body = await self.body(request)
        found = self.fake.conversations.get(request.path_params["id"])
        if found is None:
            return _missing()
        if refused := self.refusal():
            return refused
        is_again = request.url.path.endswith("regenerate")
        return StreamingResponse(self.stream(found, body, is_again), media_type="text/event-stream")

    async def stream(self, found: Json, body: Json, is_again: bool) -> AsyncIterator[str]:
        """Send the events of one message; a known key sends the kept outcome."""
        fake = self.fake
        fake.is_stopped = False
        if body["key"] not in fake.outcomes:
            self.begin(found, body, is_again)
        said, reply = (fake.turn(turn_id) for turn_id in fake.outcomes[body["key"]])
        yield _event("turn", {"turn": said})
        if not is_again:
            yield _event("reading", {"turn_id": said["id"], **said["reading"]})
        pieces = [] if reply["crisis"] else reply["pieces"]
        if await self.stops(fake.is_silent):
            found["turns"].remove(reply)
            yield _event("error", {"code": "stopped", "message": "Stopped."})
            return
        for at, piece in enumerate(pieces):
            yield _event("piece", {"text": piece})
            await self.stops(at == 0 and fake.is_held)
            if at == 0 and fake.cuts:
                fake.cuts -= 1
                return
            if fake.is_stopped:
                reply |= {"text": piece, "stopped": True}
                break
        yield _event("reply", {"turn": reply})

    async def stops(self, is_waiting: bool) -> bool:
        """Wait if told so, until that is lifted or the reply is stopped; say whether it was."""
        while is_waiting and (self.fake.is_held or self.fake.is_silent) and not self.fake.is_stopped:
            await asyncio.sleep(0.01)
        return self.fake.is_stopped

    def begin(self, found: Json, body: Json, is_again: bool) -> None:
        """Keep a message and its reply."""
        if is_again:
            said = next(turn for turn in reversed(found["turns"]) if turn["role"] == "speaker")
            del found["turns"][found["turns"].index(said) + 1 :]
        else:
            said = {"id": secrets.token_urlsafe(9), "role": "speaker", "text": body["text"], "created": _now()}
            said |= {"reading": _reading(body["text"]), "rating": 0, "reported": False, "edited": None}
            found["turns"].append(said)
        reply = self.reply(said["text"], body.get("country"), is_again)
        found["turns"].append(reply)
        found["updated"] = _now()
        if found["title"] == "New conversation":
            found["title"] = said["text"][:80]
        self.fake.outcomes[body["key"]] = (said["id"], reply["id"])

    def reply(self, text: str, country: str | None, is_again: bool) -> Json:
        """Make a reply."""
        pieces = ["I hear you. ", "I am glad you told me."] if is_again else PIECES
        pieces = [self.fake.replies.pop(0)] if self.fake.replies else pieces
        made = {"id": secrets.token_urlsafe(9), "role": "listener", "text": "".join(pieces), "created": _now()}
        made |= {"pieces": pieces, "plan": "questioning", "crisis": None, "rating": 0, "reported": False}
        made |= {"edited": None, "alternatives": [{"text": "I am sorry to hear that.", "plan": "sympathizing"}]}
        if "want to die" in text:
            words = "I am really glad you told me. You deserve a person right now. Please reach out to one."
            made |= {"text": words, "crisis": {"kind": "suicide", "text": words, "helplines": _lines(country)}}
        return made

    async def feedback(self, request: Request) -> Response:
        """Take what is said of a turn."""
        body = await self.body(request)
        if refused := self.refusal():
            return refused
        if request.path_params["kind"] == "stop":
            self.fake.is_stopped = True
            return Response(status_code=204)
        turn = self.fake.turn(request.path_params["id"])
        changes = {"report": {"reported": True}, "edit": {"edited": body.get("text")}}
        changes |= {"rating": {"rating": body.get("value")}, "emotion": {"correction": body.get("emotion")}}
        turn |= changes[request.path_params["kind"]]
        return JSONResponse({"ok": True}, 201)

    async def export(self, request: Request) -> Response:
        """Send a conversation as a file."""
        found = self.fake.conversations[request.path_params["id"]]
        if request.query_params["format"] == "json":
            return JSONResponse(found)
        return PlainTextResponse("\n\n".join(f"**{turn['role']}**: {turn['text']}" for turn in found["turns"]))

    async def trajectory(self, request: Request) -> Response:
        """Send the emotions of the person's turns."""
        turns = [turn for turn in self.fake.conversations[request.path_params["id"]]["turns"] if turn.get("reading")]
        named = [(turn["id"], turn.get("correction") or turn["reading"]["emotions"][0]["id"]) for turn in turns]
        return JSONResponse([{"turn_id": x, "emotion": name, "valence": BY_NAME[name].valence} for x, name in named])

    async def lines(self, request: Request) -> Response:
        """Send helplines."""
        return JSONResponse(_lines(request.query_params.get("country")))

    async def forget(self, request: Request) -> Response:
        """Delete everything."""
        await self.body(request)
        if refused := self.refusal():
            return refused
        self.fake.conversations.clear()
        self.fake.consent = False
        return Response(status_code=204)

    async def queue(self, request: Request) -> Response:
        """Send what waits for review."""
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return JSONResponse({"error": {"code": "token", "message": "That token was not accepted."}}, 401)
        asked = request.query_params
        items = [item for item in self.fake.review if item["state"] == asked.get("state", "open")]
        items = [item for item in items if asked.get("kind") in (None, item["kind"])]
        if request.url.path.endswith("counts"):
            return JSONResponse(DAYS)
        if request.url.path.endswith("export"):
            return PlainTextResponse("".join(json.dumps(item) + "\n" for item in self.fake.review))
        return JSONResponse(items)

    async def decide(self, request: Request) -> Response:
        """Take a decision of the operator."""
        body = await self.body(request)
        if refused := self.refusal():
            return refused
        states = {"accept": "accepted", "amend": "amended", "reject": "rejected"}
        item = next(one for one in self.fake.review if one["id"] == request.path_params["id"])
        item |= {"state": states[body["decision"]], "tags": body.get("tags", [])}
        return JSONResponse(item)


def _event(name: str, data: Json) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _page(name: str) -> Any:
    async def page(request: Request) -> Response:
        return FileResponse(WEB / name, headers={"Content-Security-Policy": POLICY})

    return page


def fake_app(fake: FakeApi) -> Starlette:
    """Build the stand-in."""
    answers = Answers(fake)
    one = "/api/conversations/{id}"
    return Starlette(
        routes=[
            Route("/", _page("index.html")),
            Route("/review", _page("review.html")),
            Mount("/static", StaticFiles(directory=WEB)),
            Route("/api/session", answers.session),
            Route("/api/consent", answers.set_consent, methods=["PUT"]),
            Route("/api/conversations", answers.listing, methods=["GET", "POST"]),
            Route(one, answers.one, methods=["GET", "PATCH", "DELETE"]),
            Route(f"{one}/turns", answers.turns, methods=["POST"]),
            Route(f"{one}/regenerate", answers.turns, methods=["POST"]),
            Route(f"{one}/export", answers.export),
            Route(f"{one}/trajectory", answers.trajectory),
            Route("/api/turns/{id}/{kind}", answers.feedback, methods=["POST"]),
            Route("/api/helplines", answers.lines),
            Route("/api/me", answers.forget, methods=["DELETE"]),
            Route("/api/review/queue", answers.queue),
            Route("/api/review/counts", answers.queue),
            Route("/api/review/export", answers.queue),
            Route("/api/review/{id}", answers.decide, methods=["POST"]),
        ]
    )
