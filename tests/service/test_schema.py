"""Whatever is sent, by the schema or against it: no answer is ever the server's own failure."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as some
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import Unsatisfiable
from live_server import Visitor, in_thread
from schemathesis import APIOperation, Case, GenerationMode
from service_toys import ToyEngine

from hearten.service.app import create_app
from hearten.service.settings import ServiceSettings
from hearten.store.store import Store

set_hypothesis_home_dir(tempfile.mkdtemp(prefix="hypothesis-"))
TOKEN = "the-operators-token"
MANY = int(os.environ.get("HEARTEN_FUZZ", "12"))
"""Requests of each kind to each operation; raise it to look longer."""


def build(folder: Path) -> tuple[str, ServiceSettings]:
    """Return the address of a database and settings without limits."""
    settings = ServiceSettings(data_folder=folder, turns_per_minute=10**6, actions_per_minute=10**6)
    return settings.database, settings


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database, settings = build(tmp_path_factory.mktemp("data"))
    with in_thread(create_app(settings, ToyEngine(), Store(database), TOKEN)) as address:
        yield address


@pytest.fixture(scope="module")
def schema(url: str) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{url}/openapi.json")


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_makes_the_server_fail(url: str, schema: schemathesis.BaseSchema, mode: GenerationMode) -> None:
    found = [result.ok() for result in schema.get_all_operations()]
    assert len(found) >= 25
    sent = [attack(url, operation, mode) for operation in found]
    assert sum(count > 0 for count in sent) >= 15


def attack(url: str, operation: APIOperation, mode: GenerationMode) -> int:
    """Send requests to one operation, half of them about a conversation that exists, and return how many."""
    sent = 0
    visitor = Visitor(url)
    talk = visitor.begin()
    turns = [dict(visitor.say(talk, "hello", "k"))[name]["turn"]["id"] for name in ("turn", "reply")]
    cookies = dict(visitor.client.cookies)
    visitor.client.close()

    @hypothesis.settings(
        max_examples=MANY,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(mode), own=some.booleans(), about=some.sampled_from(turns))
    def send(case: Case, own: bool, about: str) -> None:
        nonlocal sent
        sent += 1
        known = {"conversation": talk, "turn": about} if own else {}
        case.path_parameters |= {name: value for name, value in known.items() if name in case.path_parameters}
        headers = {"Authorization": f"Bearer {TOKEN}"}
        response = case.call(base_url=url, headers=headers, cookies=cookies, timeout=30)
        assert response.status_code < 500, f"{case.method} {case.path} answered {response.status_code}"

    with contextlib.suppress(Unsatisfiable):  # what takes nothing cannot be given anything wrong
        send()
    return sent
