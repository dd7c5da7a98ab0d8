"""What only a real connection shows: leaving, stopping, dawdling, and clients of the OpenAI protocol."""

import asyncio
import socket
from collections.abc import Callable, Iterator

import httpx
import openai
import pytest
from fastapi import FastAPI
from live_server import Visitor, first_event, in_thread, wait_for
from service_toys import ToyEngine, parse

from hearten.service import server
from hearten.service.settings import ServiceSettings

Visit = Callable[[str], Visitor]


@pytest.fixture
def settings(tmp_path: object) -> ServiceSettings:
    return ServiceSettings(data_folder=f"{tmp_path}/data")  # type: ignore[arg-type]


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    with in_thread(app) as address:
        yield address


@pytest.fixture
def client(url: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="unused", max_retries=0) as made:
        yield made


def test_generation_stops_when_the_person_leaves_and_the_same_key_resumes_it(
    url: str, engine: ToyEngine, visit: Visit
) -> None:
    engine.gate = asyncio.Event()
    ann = visit(url)
    talk = ann.begin()
    body = {"text": "hello", "key": "k"}
    with ann.client.stream("POST", f"/api/conversations/{talk}/turns", json=body) as response:
        lines = response.iter_lines()  # to let go of it would be to leave
        assert first_event(lines)["turn"]["text"] == "hello"
        wait_for(lambda: engine.open_streams == 1)
    wait_for(lambda: engine.open_streams == 0, 5)
    assert [turn["text"] for turn in ann.turns(talk)] == ["hello"]
    engine.gate = None
    assert ann.say(talk, "hello", "k")[-1][0] == "reply"
    assert len(ann.turns(talk)) == 2


def test_stopping_keeps_what_was_shown(url: str, engine: ToyEngine, visit: Visit) -> None:
    engine.gate = asyncio.Event()
    engine.replies = ["Well then, goodbye"]
    ann = visit(url)
    talk = ann.begin()
    body = {"text": "hello", "key": "k"}
    with ann.client.stream("POST", f"/api/conversations/{talk}/turns", json=body) as response:
        lines = response.iter_lines()
        shown = ""
        while "event: piece" not in shown:
            shown += next(lines) + "\n"
        turn = ann.turns(talk)[0]["id"]
        assert ann.client.post(f"/api/turns/{turn}/stop").json() == {"stopped": True}
        rest = shown + "\n".join(lines)
    name, data = parse(rest.rstrip("\n"))[-1]
    assert (name, data["turn"]["text"], data["turn"]["stopped"]) == ("reply", "Well", True)
    assert [turn["text"] for turn in ann.turns(talk)] == ["hello", "Well"]
    assert ann.client.post(f"/api/turns/{turn}/stop").json() == {"stopped": False}
    assert ann.say(talk, "hello", "k")[-1][1]["turn"]["text"] == "Well", "the same key does not start it again"


def test_a_connection_that_dawdles_is_closed(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SLOWEST_SECONDS", 0.3)
    with in_thread(app) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as dawdler:
            dawdler.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            assert dawdler.recv(1) == b""
        with socket.create_connection((host, int(port)), timeout=10) as dawdler:
            dawdler.sendall(b"POST /api/conversations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
            assert dawdler.recv(1) == b""
        assert httpx.get(f"{url}/livez").status_code == 200


def test_the_openai_client_lists_models_and_gets_an_answer(client: openai.OpenAI, engine: ToyEngine) -> None:
    assert [model.id for model in client.models.list()] == ["toy", "other"]
    engine.replies = ["I hear you."]
    messages = [
        {"role": "system", "content": "ignored"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": [{"type": "text", "text": "three"}]},
    ]
    answer = client.chat.completions.create(model="toy", messages=messages, temperature=0.5, user="u")  # type: ignore[call-overload]
    assert answer.choices[0].message.content == "I hear you."
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model_extra["hearten"]["plan"] == "consoling"
    assert answer.model_extra["hearten"]["reading"]["emotions"][0]["id"] == "sad"
    assert [(turn.role, turn.text) for turn in engine.asks[0].context] == [
        ("speaker", "one"),
        ("listener", "two"),
        ("speaker", "three"),
    ]


def test_the_openai_client_streams(client: openai.OpenAI, engine: ToyEngine) -> None:
    engine.replies = ["I hear you."]
    stream = client.chat.completions.create(
        model="hearten",
        messages=[{"role": "user", "content": "hello"}],
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"hearten": {"intent": "wishing"}},
    )
    chunks = list(stream)
    said = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert said[1:3] == ["I", " hear you."] and "".join(said) == "I hear you."
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None and engine.asks[0].intent == "wishing"


def test_the_openai_client_meets_the_same_care_in_a_crisis(client: openai.OpenAI, engine: ToyEngine) -> None:
    messages = [{"role": "user", "content": "I want to kill myself"}]
    answer = client.chat.completions.create(
        model="toy",
        messages=messages,
        extra_body={"hearten": {"country": "NL"}},  # type: ignore[arg-type]
    )
    assert engine.asks == [] and "113" in str(answer.choices[0].message.content)
    assert answer.model_extra["hearten"]["crisis"]["kind"] == "suicide"  # type: ignore[index]


def test_the_openai_client_is_told_what_is_wrong(client: openai.OpenAI, engine: ToyEngine) -> None:
    hello = [{"role": "user", "content": "hello"}]
    with pytest.raises(openai.NotFoundError, match="There is no such model"):
        client.chat.completions.create(model="gpt-9", messages=hello)  # type: ignore[arg-type]
    with pytest.raises(openai.UnprocessableEntityError, match="must be from the user"):
        client.chat.completions.create(model="toy", messages=[{"role": "assistant", "content": "hello"}])
    with pytest.raises(openai.APIStatusError, match="too long"):
        client.chat.completions.create(model="toy", messages=[{"role": "user", "content": "x" * 5000}])
    engine.failures = ["failed"]
    with pytest.raises(openai.InternalServerError, match="No reply could be made"):
        client.chat.completions.create(model="toy", messages=hello)  # type: ignore[arg-type]
    engine.is_full = True
    with pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model="toy", messages=hello)  # type: ignore[arg-type]
    assert caught.value.response.headers["retry-after"] == "7"


def test_nothing_said_through_the_openai_door_is_stored(
    client: openai.OpenAI, url: str, settings: ServiceSettings
) -> None:
    secret = "this sentence is not for keeping"
    client.chat.completions.create(model="toy", messages=[{"role": "user", "content": secret}])
    assert not any(secret.encode() in path.read_bytes() for path in settings.data_folder.iterdir())
