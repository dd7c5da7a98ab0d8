"""Saying something and getting a reply: what is streamed, stored, and said only once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi import FastAPI
from service_toys import OTHER, READING, TOY, Person, ToyEngine

from hearten.safety.answers import crisis_reply
from hearten.safety.detect import crisis
from hearten.store.events import Fact, StoreError, StoreFull


def names(events: list[tuple[str, dict[str, object]]]) -> list[str]:
    return [name for name, _ in events]


def test_a_turn_is_followed_by_reading_pieces_and_reply(ann: Person, engine: ToyEngine) -> None:
    engine.replies = ["I hear you."]
    talk = ann.begin()
    events = ann.say(talk, "My cat is ill.", intent="consoling")
    assert names(events) == ["turn", "reading", "piece", "piece", "reply"]
    data = dict(events)
    assert data["turn"]["turn"]["text"] == "My cat is ill."
    assert data["reading"] == {"turn_id": data["turn"]["turn"]["id"], **READING}
    assert data["reply"]["turn"]["text"] == "I hear you."
    assert data["reply"]["turn"]["plan"] == "consoling"
    assert data["reply"]["turn"]["alternatives"] == [{"text": "or this", "plan": "wishing"}]
    assert engine.asks[0].intent == "consoling"
    assert [turn["text"] for turn in ann.turns(talk)] == ["My cat is ill.", "I hear you."]
    assert ann.turns(talk)[0]["reading"] == READING


def test_the_engine_is_given_the_whole_conversation(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    ann.say(talk, "one", "k1")
    ann.say(talk, "two", "k2")
    said = [(turn.role, turn.text) for turn in engine.asks[1].context]
    assert said == [("speaker", "one"), ("listener", "reply 1"), ("speaker", "two")]


def test_the_same_key_again_gives_the_same_turn_and_reply(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    first = dict(ann.say(talk, "hello", "k1"))
    second = dict(ann.say(talk, "hello", "k1"))
    assert second["turn"]["turn"]["id"] == first["turn"]["turn"]["id"]
    assert second["reply"] == first["reply"]
    assert len(engine.asks) == 1 and len(ann.turns(talk)) == 2


def test_a_double_submit_at_the_same_moment_is_one_turn_and_one_reply(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: dict(ann.say(talk, "hello", "k1")), range(8)))
    assert len({one["turn"]["turn"]["id"] for one in found}) == 1
    assert len({one["reply"]["turn"]["id"] for one in found}) == 1
    assert len(ann.turns(talk)) == 2 and len(engine.asks) == 1


def test_the_same_key_in_another_conversation_is_another_turn(ann: Person) -> None:
    one, two = ann.begin(), ann.begin()
    ann.say(one, "hello", "k1")
    ann.say(two, "hello", "k1")
    assert len(ann.turns(one)) == len(ann.turns(two)) == 2


def test_a_failed_reply_is_made_when_the_same_key_comes_again(ann: Person, engine: ToyEngine) -> None:
    engine.failures = ["timeout"]
    talk = ann.begin()
    events = ann.say(talk, "hello", "k1")
    assert names(events) == ["turn", "error"] and events[1][1]["code"] == "timeout"
    assert [turn["text"] for turn in ann.turns(talk)] == ["hello"], "what the person said is kept"
    assert names(ann.say(talk, "hello", "k1"))[-1] == "reply"
    assert len(ann.turns(talk)) == 2


def test_a_crisis_is_met_with_fixed_words_and_nothing_is_generated(ann: Person, engine: ToyEngine) -> None:
    text = "I want to kill myself"
    talk = ann.begin()
    events = ann.say(talk, text, country="nl")
    found = crisis(text)
    assert found is not None
    assert names(events) == ["turn", "reply"] and engine.asks == []
    reply = events[1][1]["turn"]
    assert reply["text"] == crisis_reply(found, "NL")
    assert reply["crisis"]["kind"] == "suicide"
    numbers = [line["number"] for line in reply["crisis"]["helplines"]]
    assert sorted(numbers) == ["112", "113", "findahelpline.com"]
    assert numbers == sorted(numbers, key=lambda number: reply["text"].index(f": {number}")), "the order of the words"
    assert reply["crisis"]["text"] in reply["text"] and "113" not in reply["crisis"]["text"]
    metrics = ann.client.get("/metrics").text
    assert 'hearten_crises_total{kind="suicide"} 1.0' in metrics


def test_another_reply_takes_the_place_of_the_last_one(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    first = dict(ann.say(talk, "hello"))["reply"]["turn"]
    again = {"key": "r1"}
    response = ann.client.post(f"/api/conversations/{talk}/regenerate", json=again)
    assert response.status_code == 200 and "reply 2" in response.text
    assert [turn["text"] for turn in ann.turns(talk)] == ["hello", "reply 2"]
    assert engine.asks[1].avoid == (first["text"],) and engine.asks[1].seed != engine.asks[0].seed
    repeated = ann.client.post(f"/api/conversations/{talk}/regenerate", json=again)
    assert "reply 2" in repeated.text and len(engine.asks) == 2, "the same key makes no third reply"
    assert ann.client.post(f"/api/turns/{first['id']}/rating", json={"value": 1}).status_code == 200


def test_there_is_nothing_to_reply_to_in_an_empty_conversation(ann: Person) -> None:
    response = ann.client.post(f"/api/conversations/{ann.begin()}/regenerate", json={"key": "r"})
    assert response.status_code == 409 and response.json()["error"]["code"] == "nothing_said"


def test_the_chosen_system_answers_and_signs(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin(system=OTHER.id)
    ann.say(talk, "hello")
    assert engine.asks[0].system == OTHER.id
    assert ann.client.get(f"/api/conversations/{talk}").json()["system"] == OTHER.id
    assert ann.client.post("/api/conversations", json={"system": "nobody"}).status_code == 422


def test_a_full_queue_is_refused_before_anything_is_stored(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    engine.is_full = True
    body = {"text": "hello", "key": "k1"}
    response = ann.client.post(f"/api/conversations/{talk}/turns", json=body)
    assert response.status_code == 503 and response.headers["Retry-After"] == "7"
    assert response.json()["error"]["code"] == "busy"
    assert ann.turns(talk) == []
    engine.is_full = False
    assert names(ann.say(talk, "hello", "k1"))[-1] == "reply"


def test_a_stored_reply_is_given_even_when_the_queue_is_full(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    ann.say(talk, "hello", "k1")
    engine.is_full = True
    assert names(ann.say(talk, "hello", "k1"))[-1] == "reply"


def test_a_server_that_is_not_ready_says_so(ann: Person, engine: ToyEngine) -> None:
    talk = ann.begin()
    engine.is_ready = False
    assert ann.client.get("/readyz").status_code == 503 and ann.client.get("/livez").status_code == 200
    response = ann.client.post(f"/api/conversations/{talk}/turns", json={"text": "hello", "key": "k"})
    assert response.status_code == 503 and response.headers["Retry-After"] == "5"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": "x" * 4001, "key": "k"}, 413),
        ({"text": "  ", "key": "k"}, 422),
        ({"text": "a\x00b", "key": "k"}, 422),
        ({"text": "hello", "key": ""}, 422),
        ({"text": "hello", "key": "spaces are not allowed"}, 422),
        ({"text": "hello"}, 422),
        ({"text": "hello", "key": "k", "intent": "shouting"}, 422),
        ({"text": "hello", "key": "k", "country": "Utopia"}, 422),
        ({"text": "hello", "key": "k", "colour": "blue"}, 422),
        ({"text": ["hello"], "key": "k"}, 422),
    ],
)
def test_input_that_cannot_be_taken_is_refused_with_a_sentence(ann: Person, body: object, status: int) -> None:
    talk = ann.begin()
    response = ann.client.post(f"/api/conversations/{talk}/turns", json=body)
    assert response.status_code == status
    assert len(response.json()["error"]["message"]) > 10
    assert ann.turns(talk) == []


@pytest.mark.parametrize(
    "text", ["\u202eright to left\u202c שלום", "👩‍👩‍👧 zero\u200bwidth", "line\r\nbreak\ttab", "<script>"]
)
def test_unusual_text_comes_back_to_the_letter(ann: Person, text: str) -> None:
    talk = ann.begin()
    ann.say(talk, text)
    assert ann.turns(talk)[0]["text"] == text


def test_half_characters_are_refused(ann: Person) -> None:
    talk = ann.begin()
    response = ann.client.post(
        f"/api/conversations/{talk}/turns",
        content=b'{"text": "half \\ud83d", "key": "k"}',
        headers={"Content-Type": "application/json"},
    )
    assert response.status_code == 422


def test_events_carry_the_model_and_its_settings(ann: Person, operator: dict[str, str]) -> None:
    talk = ann.begin()
    reply = dict(ann.say(talk, "hello"))["reply"]["turn"]["id"]
    ann.client.post(f"/api/turns/{reply}/report", json={"reason": "false"})
    [item] = ann.client.get("/api/review/queue", headers=operator).json()
    assert (item["model"], item["config"]) == (TOY.model, TOY.config)


@pytest.mark.parametrize(("mistake", "status"), [(StoreFull("full"), 507), (StoreError("locked"), 503)])
def test_what_cannot_be_kept_is_not_acknowledged(
    ann: Person, app: FastAPI, monkeypatch: pytest.MonkeyPatch, mistake: StoreError, status: int
) -> None:
    talk = ann.begin()

    async def refuse(*_: object) -> None:
        raise mistake

    with monkeypatch.context() as patched:
        patched.setattr(app.state.service.store, "append", refuse)
        response = ann.client.post(f"/api/conversations/{talk}/turns", json={"text": "hello", "key": "k"})
    assert response.status_code == status and "event: turn" not in response.text
    assert ann.turns(talk) == []
    assert names(ann.say(talk, "hello", "k"))[-1] == "reply"


def test_a_reply_that_cannot_be_kept_is_an_error_and_made_again_with_the_same_key(
    ann: Person, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = ann.begin()
    store = app.state.service.store
    append = store.append

    async def refuse_replies(*facts: Fact) -> object:
        if any(fact.body.get("role") == "listener" for fact in facts):
            raise StoreError("locked")
        return await append(*facts)

    with monkeypatch.context() as patched:
        patched.setattr(store, "append", refuse_replies)
        events = ann.say(talk, "hello", "k")
    assert names(events)[-1] == "error" and events[-1][1]["code"] == "storage"
    assert names(ann.say(talk, "hello", "k"))[-1] == "reply" and len(ann.turns(talk)) == 2
