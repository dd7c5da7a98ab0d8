"""Server-sent events: the response that a reply in the making is followed by."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

HEARTBEAT_SECONDS = 10.0
"""After so long without news a comment is sent, so that nobody on the way takes the connection for dead."""


def event(name: str, data: object) -> bytes:
    """Write one event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class EventStream(Response):
    """Sends pieces as they come, and stops asking for them as soon as the client has gone."""

    media_type = "text/event-stream"

    def __init__(self, pieces: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send, and listen for the end of the connection meanwhile."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send(send))
        listening = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, listening):
                task.cancel()
            await asyncio.gather(listening, return_exceptions=True)
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await sending

    async def _send(self, send: Send) -> None:
        async with contextlib.aclosing(with_heartbeat(self._pieces)) as pieces:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def with_heartbeat(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Give the pieces, and a comment whenever nothing came for a while."""
    coming: asyncio.Future[bytes] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(pieces))
            done, _ = await asyncio.wait((coming,), timeout=HEARTBEAT_SECONDS)
            if not done:
                yield b": still here\n\n"
                continue
            try:
                piece = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield piece
    finally:
        if coming:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await pieces.aclose()
