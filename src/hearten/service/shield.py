"""What every request passes before and after the routes: who may send it, how large it is, and what must never leak."""

import logging
import time
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hearten.service.errors import SENTENCES, ApiError, named, response
from hearten.service.metrics import Metrics
from hearten.service.traces import where

log = logging.getLogger("hearten.service")
LARGEST = 512 * 1024
"""Bytes of a request."""
HARMLESS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Shield:
    """Wraps an app. Exceptions end here, without their text; the log has route, status and time, nothing of people."""

    def __init__(self, app: ASGIApp, metrics: Metrics, hosts: Sequence[str]) -> None:
        self._app, self._metrics, self._hosts = app, metrics, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a request, or send it away."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        passage = _Passage(scope, receive, send)
        began = time.perf_counter()
        refused = refusal(scope["method"], Headers(scope=scope), self._hosts)
        try:
            if refused:
                raise refused
            await self._app(scope, passage.receive, passage.send)
        except ApiError as error:
            await passage.end(error)
        except Exception as error:
            log.error("a request failed: %s", where(error))
            await passage.end(named(error))
        self._note(scope, passage.status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # The route's pattern, not the address: ids of conversations are as good as keys to them.
        route = getattr(scope.get("route"), "path", "") or "other"
        self._metrics.requests.labels(scope["method"] if scope["method"] in KNOWN else "other", route, status).inc()
        log.info("%s %s %d %.0f ms", scope["method"][:10], route, status, 1000 * seconds)


KNOWN = (*HARMLESS, "POST", "PUT", "PATCH", "DELETE")


class _Passage:
    """Counts what comes in, adds headers to what goes out, and knows whether an answer has begun."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._bytes = 0
        self.status = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > LARGEST:
            raise HTTPException(413)  # the one kind of error that FastAPI lets pass while it reads a body
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if not self._scope["path"].startswith("/static/"):
                headers.setdefault("Cache-Control", "no-store")
        await self._send(message)

    async def end(self, error: ApiError) -> None:
        if not self.status:
            await response(error)(self._scope, self._receive, self.send)


def refusal(method: str, headers: Mapping[str, str], hosts: frozenset[str]) -> ApiError | None:
    """Say why a request is not even looked at."""
    host = headers.get("host", "")
    if hosts and _name(host) not in hosts:
        return ApiError(400, "host", "This server is not known by that name; see the setting allowed_hosts.")
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length[:18]) > LARGEST:
        return ApiError(413, "too_large", SENTENCES[413])
    if method not in HARMLESS and _is_foreign(headers, host):
        return ApiError(403, "origin", "This came from another web page and was refused. Open our page and try there.")
    return None


def _is_foreign(headers: Mapping[str, str], host: str) -> bool:
    """Say whether another site's page sent the request; programs send no origin."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.casefold() != host.casefold()


def _name(host: str) -> str:
    return (host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]).casefold()
