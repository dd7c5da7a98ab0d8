"""An engine that asks another server by the OpenAI protocol: vLLM, llama-server, Ollama and the like.

The other server writes; reading the emotion and looking at what it wrote stay here.
"""

import asyncio
import contextlib
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any

import httpx

from hearten.artifacts.folder import package_version
from hearten.errors import UserError
from hearten.reader.model import Reader
from hearten.service.engine import Answered, Ask, Engine, Piece, Read, Served
from hearten.service.guard import Guard
from hearten.service.settings import ServiceSettings
from hearten.service.traces import where
from hearten.service.workers.pool import Pool, Size
from hearten.service.workers.reading import read, with_evidence
from hearten.service.workers.worker import Tell
from hearten.taxonomy import BY_NAME

log = logging.getLogger("hearten.service")
MANNER = (
    "You are a warm, attentive listener. Answer in one to three short sentences of everyday language. "
    "Show that you understood how the person feels and why. Give no diagnosis and no lecture, and do not claim to be "
    "a human being."
)
LONGEST = 400
"""Tokens of a reply."""


def make(settings: ServiceSettings) -> Engine:
    """Put the pool together: one worker, which has many requests under way at once."""
    return Pool(
        lambda: RemoteWorker(settings),
        Size(1, settings.workers or 16, settings.queue, settings.answer_seconds),
    )


class RemoteWorker:
    """Sends each ask to the other server."""

    def __init__(self, settings: ServiceSettings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._client = httpx.AsyncClient(
            base_url=settings.openai_url.rstrip("/") + "/",
            headers=_authorization(settings),
            timeout=httpx.Timeout(settings.answer_seconds, connect=5.0),
            transport=transport,
        )
        self._model = settings.openai_model
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, tell: Tell, died: Callable[[], None]) -> tuple[Served, ...]:
        """Ask the other server what it serves."""
        self._tell = tell
        self._reader = await asyncio.to_thread(Reader.load, None, self._settings.threads)
        try:
            found = (await self._client.get("models")).raise_for_status().json()
            self._model = self._model or str(found["data"][0]["id"])
        except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
            await self._client.aclose()
            raise UserError(
                f"{self._settings.openai_url} does not answer as an OpenAI-compatible server ({type(error).__name__}); "
                "check --openai-url (it ends in /v1) and that the server is running"
            ) from None
        recipe = json.dumps([self._settings.openai_url, self._model, MANNER, package_version()])
        config = hashlib.sha256(recipe.encode()).hexdigest()[:16]
        about = "answers of another server, looked at before they are shown"
        return (Served(self._model, self._model, about, f"openai/{self._model}", config),)

    def send(self, ask: Ask) -> None:
        """Begin to answer."""
        task = asyncio.get_running_loop().create_task(self._answer(ask))
        self._tasks[ask.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(ask.id, None))

    def drop(self, ask: str) -> None:
        """Stop: closing the connection tells the other server."""
        if task := self._tasks.get(ask):
            task.cancel()

    def kill(self) -> None:
        """The time limit of the connection has ended the request already."""

    async def stop(self) -> None:
        """Give up whatever is under way."""
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._client.aclose()

    async def _answer(self, ask: Ask) -> None:
        try:
            table = await asyncio.to_thread(read, self._reader, ask.context)
            self._tell(ask.id, Read(table))
            guard = Guard(ask.context)
            async with contextlib.aclosing(self._pieces(ask)) as pieces:
                async for piece in pieces:
                    if shown := guard.pass_on(piece):
                        self._tell(ask.id, Piece(shown))
                    if guard.objection:
                        break
            text = guard.settled(guard.text, table["emotions"][0]["id"])
            self._tell(ask.id, Read(await asyncio.to_thread(with_evidence, self._reader, ask.context, table)))
            self._tell(ask.id, Answered(text, ask.intent, withheld=guard.objection))
        except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
            log.error("the other server failed: %s", where(error))
            self._tell(ask.id, None)

    async def _pieces(self, ask: Ask) -> AsyncGenerator[str, None]:
        async with self._client.stream("POST", "chat/completions", json=self._body(ask)) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                data = line.removeprefix("data:").strip()
                if not line.startswith("data:") or data == "[DONE]":
                    continue
                choices = json.loads(data).get("choices") or [{}]
                if text := (choices[0].get("delta") or {}).get("content"):
                    yield str(text)

    def _body(self, ask: Ask) -> dict[str, Any]:
        manner = MANNER
        if ask.intent:
            manner += f" In this reply the listener {BY_NAME[ask.intent].gloss}."
        roles = {"speaker": "user", "listener": "assistant"}
        said = [{"role": roles[turn.role], "content": turn.text} for turn in ask.context]
        return {
            "model": self._model,
            "messages": [{"role": "system", "content": manner}, *said],
            "stream": True,
            "max_tokens": LONGEST,
            "seed": ask.seed,
        }


def _authorization(settings: ServiceSettings) -> dict[str, str]:
    if settings.openai_key_file is None:
        return {}
    try:
        return {"Authorization": f"Bearer {settings.openai_key_file.read_text(encoding='utf-8').strip()}"}
    except OSError as error:
        raise UserError(f"the key file {settings.openai_key_file} cannot be read: {error.strerror}") from None
