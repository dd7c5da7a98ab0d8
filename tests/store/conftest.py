"""Stores on both databases: every test that asks for `store` or `url` runs on SQLite and on PostgreSQL."""

import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from hearten.store.store import Store

sys.path.insert(0, str(Path(__file__).parent))

from postgres_server import Postgres, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    with postgres() as found:
        if found is None:
            pytest.skip("PostgreSQL is not installed")
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/service.db"
    server: Postgres = request.getfixturevalue("server")
    return server.new_database(f"t{uuid4().hex}")


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock of the test's own."""
    return Clock()


@pytest.fixture
def store(url: str, clock: Clock) -> Iterator[Store]:
    """An empty store of each kind."""
    made = Store(url, clock)
    yield made
    made.close()
