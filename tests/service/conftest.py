"""A server in the test's own process, around a toy engine and a store in a temporary folder."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from hearten.service.app import create_app
from hearten.service.settings import ServiceSettings
from hearten.store.store import Store

sys.path.insert(0, str(Path(__file__).parent))

from live_server import Visitor
from service_toys import Person, ToyEngine

TOKEN = "the-operators-token"


@pytest.fixture
def engine() -> ToyEngine:
    """The toy that answers."""
    return ToyEngine()


@pytest.fixture
def settings(tmp_path: Path) -> ServiceSettings:
    """Settings with everything in a temporary folder."""
    return ServiceSettings(data_folder=tmp_path / "data", allowed_hosts=("testserver",))


@pytest.fixture
def app(settings: ServiceSettings, engine: ToyEngine) -> FastAPI:
    """The server."""
    return create_app(settings, engine, Store(settings.database), TOKEN)


@pytest.fixture
def arrive(app: FastAPI) -> Iterator[Callable[[], Person]]:
    """Let somebody new open the page."""
    with TestClient(app) as first:
        waiting = [first]

        def person() -> Person:
            client = waiting.pop() if waiting else TestClient(app)
            client.portal = first.portal
            client.cookies.clear()
            assert client.get("/api/session").status_code == 200
            return Person(client)

        yield person


@pytest.fixture
def ann(arrive: Callable[[], Person]) -> Person:
    """Somebody who talks."""
    return arrive()


@pytest.fixture
def operator() -> dict[str, str]:
    """The headers of whoever reviews."""
    return {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def visit() -> Iterator[Callable[[str], Visitor]]:
    """Let somebody new visit a real server."""
    visitors: list[Visitor] = []

    def come(url: str) -> Visitor:
        visitors.append(Visitor(url))
        return visitors[-1]

    yield come
    for visitor in visitors:
        visitor.client.close()
