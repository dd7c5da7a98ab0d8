"""Puts the server together: `create_app(settings, engine, store)`."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI

from hearten.artifacts.folder import package_version
from hearten.service import errors
from hearten.service.context import Service
from hearten.service.engine import Engine
from hearten.service.limits import RateLimit
from hearten.service.metrics import Metrics
from hearten.service.replying import Replying
from hearten.service.routes import chat, conversations, feedback, health, pages, review, session, turns
from hearten.service.sessions import Operator, Sessions, secret_of
from hearten.service.settings import ServiceSettings
from hearten.service.shield import Shield
from hearten.store.events import StoreError
from hearten.store.store import Store

PROGRAMS = 30
"""How many people may talk through one client of the OpenAI protocol."""
HOUR = 3600.0
DAY = 24 * HOUR


def create_app(settings: ServiceSettings, engine: Engine, store: Store, review_token: str) -> FastAPI:
    """Build the server around an engine and a store, both of which it starts, stops and closes."""
    metrics = Metrics(engine)
    service = Service(
        settings=settings,
        engine=engine,
        store=store,
        sessions=Sessions(secret_of(settings.data_folder), settings.secure_cookies),
        operator=Operator(review_token),
        metrics=metrics,
        replying=Replying(store, engine, metrics),
        turns=RateLimit(settings.turns_per_minute),
        actions=RateLimit(settings.actions_per_minute),
        programs=RateLimit(settings.turns_per_minute * PROGRAMS),
    )
    app = FastAPI(
        title="hearten",
        version=package_version(),
        description="Somebody who listens. A program, not a person, and not therapy.",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.service = service
    errors.install(app)
    for module in (session, conversations, turns, feedback, review, chat, health, pages):
        app.include_router(module.router)
    if pages.WEB.is_dir():
        app.mount("/static", pages.Static(directory=pages.WEB), name="static")
    app.add_middleware(Shield, metrics=metrics, hosts=settings.hosts)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    cleaning: asyncio.Task[None] | None = None
    try:
        await service.engine.start()
        cleaning = asyncio.create_task(_forget_old(service))
        yield
    finally:
        service.is_draining = True
        if cleaning:
            cleaning.cancel()
        await service.engine.stop()
        await service.replying.close()
        await asyncio.to_thread(service.store.close)


async def _forget_old(service: Service) -> None:
    """Delete what is past its time, now and every hour."""
    while service.settings.retention_days:
        with contextlib.suppress(StoreError):
            await service.store.forget_older(service.settings.retention_days * DAY)
        await asyncio.sleep(HOUR)
