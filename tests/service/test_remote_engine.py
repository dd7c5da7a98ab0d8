"""The engine that asks another server: what it sends, what it lets through, and what it does when that server fails."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.safety.replies import unsafe_reply
from hearten.service.engine import Answered, AnswerFailed, Ask, Happening, Piece, Read
from hearten.service.engines.openai import RemoteWorker
from hearten.service.settings import ServiceSettings
from hearten.service.workers.pool import Pool, Size

SAID = (Turn("speaker", "My dog died."), Turn("listener", "Oh no."), Turn("speaker", "I miss him."))


class Upstream:
    """The other server."""

    def __init__(self, *pieces: str, status: int = 200) -> None:
        self.pieces, self.status = pieces, status
        self.bodies: list[dict[str, object]] = []
        self.keys: list[str | None] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("authorization"))
        if request.url.path == "/v1/models":
            return httpx.Response(200, json={"data": [{"id": "far"}]})
        self.bodies.append(json.loads(request.content))
        lines = [{"choices": [{"delta": {"content": piece}}]} for piece in self.pieces]
        text = "".join(f"data: {json.dumps(line)}\n\n" for line in [{"choices": []}, *lines]) + "data: [DONE]\n\n"
        return httpx.Response(self.status, text=text)


def answers(upstream: Callable[[httpx.Request], httpx.Response], *asks: Ask, **more: object) -> list[list[Happening]]:
    async def play() -> list[list[Happening]]:
        settings = ServiceSettings(**more)  # type: ignore[arg-type]
        transport = httpx.MockTransport(upstream)
        pool = Pool(lambda: RemoteWorker(settings, transport), Size(1, 4, 4, 10.0))
        await pool.start()
        try:
            return [[happening async for happening in pool.stream(ask)] for ask in asks]
        finally:
            await pool.stop()

    return asyncio.run(play())


def test_the_conversation_is_sent_and_the_answer_streamed(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret-key\n")
    upstream = Upstream("You ", "loved him.")
    wanted = Ask("a", "far", SAID, "questioning", seed=7)
    [happenings] = answers(upstream, wanted, openai_key_file=tmp_path / "key")
    assert [one.text for one in happenings if isinstance(one, Piece)] == ["You ", "loved him."]
    assert isinstance(happenings[0], Read) and happenings[-1] == Answered("You loved him.", "questioning")
    [body] = upstream.bodies
    assert (body["model"], body["stream"], body["seed"]) == ("far", True, 7)
    messages = body["messages"]
    assert isinstance(messages, list)
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    assert "asks, to understand better" in messages[0]["content"] and messages[-1]["content"] == "I miss him."
    assert set(upstream.keys) == {"Bearer secret-key"}


def test_what_must_not_be_said_is_replaced() -> None:
    [happenings] = answers(Upstream("Just", " kill", " yourself", "."), Ask("a", "far", SAID))
    last = happenings[-1]
    assert isinstance(last, Answered) and last.withheld and unsafe_reply(last.text, SAID) is None
    assert "yourself" not in "".join(one.text for one in happenings if isinstance(one, Piece))


@pytest.mark.parametrize("upstream", [Upstream("x", status=500), Upstream("x", status=401)])
def test_a_server_that_fails_is_a_failed_answer(upstream: Upstream) -> None:
    with pytest.raises(AnswerFailed, match="failed"):
        answers(upstream, Ask("a", "far", SAID))


def test_a_server_that_speaks_otherwise_is_told_at_the_start() -> None:
    with pytest.raises(UserError, match="does not answer as an OpenAI-compatible server"):
        answers(lambda request: httpx.Response(200, text="<html>"))
    with pytest.raises(UserError, match="key file"):
        answers(Upstream(), openai_key_file=Path("missing"))
