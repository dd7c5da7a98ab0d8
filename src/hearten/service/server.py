"""Runs the server: uvicorn, with an end to dawdling connections and to the log of addresses."""

import asyncio
import logging
import socket
import sys
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from hearten.errors import UserError
from hearten.service.app import create_app
from hearten.service.context import Service
from hearten.service.engines import make_engine
from hearten.service.sessions import operator_token
from hearten.service.settings import ServiceSettings
from hearten.store.store import Store

SLOWEST_SECONDS = 20.0
"""In which a request must have arrived as a whole. Uvicorn itself would wait for ever."""
CONNECTIONS = 2048


def serve(settings: ServiceSettings, announce: Callable[[str], None]) -> None:
    """Serve until told to stop; `announce` is given the lines that the operator should see."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for chatty in ("alembic", "httpx"):  # the lines of httpx hold addresses
        logging.getLogger(chatty).setLevel(logging.WARNING)
    token, is_new = operator_token(settings.review_token_file)
    with bound(settings.host, settings.port) as place:
        app = create_app(settings, make_engine(settings), Store(settings.database), token)
        server = Server(configuration(app, settings.drain_seconds), app)
        server.when_ready = lambda: _introduce(place, token if is_new else None, announce)
        server.run(sockets=[place])
    if server.mistake:
        raise server.mistake


def bound(host: str, port: int) -> socket.socket:
    """Take an address, or say plainly that it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
    except OSError as error:
        place.close()
        raise UserError(f"cannot listen on {host} port {port} ({error.strerror}); choose another --port") from None
    return place


def configuration(app: FastAPI, drain_seconds: int = 30) -> uvicorn.Config:
    """Return how uvicorn shall run an app: no log of addresses, no waiting without end."""
    return uvicorn.Config(
        app,
        http=PromptProtocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=drain_seconds,
        limit_concurrency=CONNECTIONS,
        proxy_headers=False,
    )


def _introduce(place: socket.socket, token: str | None, announce: Callable[[str], None]) -> None:
    host, port = place.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    announce(address)
    if token:
        announce(f"review at {address}review with the token {token}")


class Server(uvicorn.Server):
    """Starts the engine before it listens, and says that it is going before it goes."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._life = app.router.lifespan_context(app)
        self._service: Service = app.state.service
        self.when_ready: Callable[[], None] = lambda: None
        self.mistake: UserError | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the engine, then listen; a mistake in the settings ends the server without a traceback."""
        try:
            await self._life.__aenter__()
        except UserError as error:
            self.mistake, self.should_exit = error, True
            return
        await super().startup(sockets)
        self.when_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no new asks, finish those under way, then close everything."""
        self._service.is_draining = True
        await super().shutdown(sockets)
        await self._life.__aexit__(None, None, None)


class PromptProtocol(H11Protocol):
    """HTTP/1.1 with a limit on how long a request may take to arrive."""

    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock with the connection."""
        super().connection_made(transport)
        self._alarm = self.loop.call_later(SLOWEST_SECONDS, self._too_slow)

    def data_received(self, data: bytes) -> None:
        """Stop the clock when the request is there, start it when another one begins."""
        if self._alarm is None and self.conn.their_state is h11.IDLE:
            self._alarm = self.loop.call_later(SLOWEST_SECONDS, self._too_slow)
        super().data_received(data)
        if self._alarm and self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_alarm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        self._stop_alarm()
        super().connection_lost(exc)

    def _stop_alarm(self) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None

    def _too_slow(self) -> None:
        self._alarm = None
        self.transport.close()
