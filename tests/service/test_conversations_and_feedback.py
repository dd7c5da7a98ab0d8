"""The list of conversations, exports, what people say of replies, and the operator's review of it."""

import json
from typing import Any

import pytest
from service_toys import Person


@pytest.fixture
def talk(ann: Person) -> str:
    """A conversation with one exchange."""
    made = ann.begin()
    ann.say(made, "My cat is ill.")
    return made


def note(person: Person, turn: str, kind: str, **body: Any) -> dict[str, Any]:
    response = person.client.post(f"/api/turns/{turn}/{kind}", json=body)
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_conversations_are_listed_renamed_and_deleted(ann: Person, talk: str) -> None:
    [entry] = ann.client.get("/api/conversations").json()
    assert (entry["id"], entry["title"], entry["turns"]) == (talk, "My cat is ill.", 2)
    renamed = ann.client.patch(f"/api/conversations/{talk}", json={"title": " The cat "})
    assert renamed.json()["title"] == "The cat"
    assert ann.client.get("/api/conversations").json()[0]["title"] == "The cat"
    assert ann.client.delete(f"/api/conversations/{talk}").status_code == 204
    assert ann.client.get("/api/conversations").json() == []
    assert ann.client.delete(f"/api/conversations/{talk}").status_code == 404


def test_consent_is_kept(ann: Person) -> None:
    assert ann.client.put("/api/consent", json={"research": True}).json()["research"] is True
    told = ann.client.get("/api/session").json()
    assert told["consent"]["research"] is True and told["consent"]["at"] and told["visitor"] is True


def test_what_people_say_of_a_reply_is_shown_with_it(ann: Person, talk: str) -> None:
    said, reply = ann.turns(talk)
    note(ann, reply["id"], "rating", value=-1)
    note(ann, reply["id"], "report", reason="hurtful", note="it stung")
    note(ann, reply["id"], "edit", text="Poor cat!")
    assert note(ann, said["id"], "emotion", emotion="anxious")["correction"] == "anxious"
    said, reply = ann.turns(talk)
    assert (reply["rating"], reply["reported"], reply["edited"]) == (-1, True, "Poor cat!")
    assert said["correction"] == "anxious"
    assert note(ann, reply["id"], "rating", value=0)["rating"] == 0


def test_feedback_goes_to_the_turns_that_it_can_be_about(ann: Person, talk: str) -> None:
    said, reply = ann.turns(talk)
    for turn, kind, body in (
        (said["id"], "report", {"reason": "other"}),
        (said["id"], "edit", {"text": "x"}),
        (said["id"], "rating", {"value": 1}),
        (reply["id"], "emotion", {"emotion": "sad"}),
    ):
        response = ann.client.post(f"/api/turns/{turn}/{kind}", json=body)
        assert response.status_code == 409 and response.json()["error"]["code"] == "wrong_turn"


def test_a_conversation_can_be_taken_away(ann: Person, talk: str) -> None:
    reply = ann.turns(talk)[1]
    note(ann, reply["id"], "edit", text="Poor *cat*!")
    whole = ann.client.get(f"/api/conversations/{talk}/export")
    assert [turn["text"] for turn in whole.json()["turns"]] == ["My cat is ill.", "reply 1"]
    assert "attachment" in whole.headers["content-disposition"]
    text = ann.client.get(f"/api/conversations/{talk}/export?format=markdown").text
    assert "> My cat is ill." in text and "*read as sad*" in text and r"> Poor \*cat\*\!" in text
    assert ann.client.get(f"/api/conversations/{talk}/export?format=pdf").status_code == 422


def test_the_trajectory_follows_reading_and_correction(ann: Person, talk: str) -> None:
    [moment] = ann.client.get(f"/api/conversations/{talk}/trajectory").json()
    assert (moment["emotion"], moment["valence"], moment["corrected"]) == ("sad", -0.7, False)
    note(ann, moment["turn_id"], "emotion", emotion="joyful")
    [moment] = ann.client.get(f"/api/conversations/{talk}/trajectory").json()
    assert (moment["emotion"], moment["valence"], moment["corrected"]) == ("joyful", 1.0, True)


def test_helplines_are_there_for_anybody(ann: Person) -> None:
    ann.client.cookies.clear()
    lines = ann.client.get("/api/helplines?country=nl").json()
    assert {"113", "112", "findahelpline.com"} <= {line["number"] for line in lines}
    assert all(line["name"] and line["about"] for line in lines)
    assert ann.client.get("/api/helplines").json()
    assert ann.client.get("/api/helplines?country=xyz").status_code == 422


@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic the-operators-token", "Bearer "])
def test_review_is_for_the_operator(ann: Person, header: str | None) -> None:
    headers = {"Authorization": header} if header else {}
    for method, path in (("GET", "queue"), ("GET", "counts"), ("GET", "export"), ("POST", "some-item")):
        response = ann.client.request(method, f"/api/review/{path}", headers=headers, json={"decision": "accept"})
        assert response.status_code == 401, path
        assert ann.client.get(f"/api/review/{path}?token=the-operators-token").status_code in (401, 405)


def test_items_are_reviewed_counted_and_exported_with_consent_only(
    ann: Person, talk: str, operator: dict[str, str]
) -> None:
    said, reply = ann.turns(talk)
    note(ann, reply["id"], "edit", text="Poor cat!")
    note(ann, reply["id"], "edit", text="Poor cat!")
    note(ann, said["id"], "emotion", emotion="anxious")
    edit, emotion = ann.client.get("/api/review/queue", headers=operator).json()
    assert (edit["kind"], edit["edit"], edit["text"]) == ("edit", "Poor cat!", "reply 1"), "saying it twice is one item"
    assert edit["context"] == [{"role": "speaker", "text": "My cat is ill."}]
    assert (emotion["read"], emotion["emotion"]) == ("sad", "anxious")
    decision = {"decision": "amend", "text": "Oh no, your poor cat.", "tags": ["tone", "tone", " "]}
    assert ann.client.post(f"/api/review/{edit['id']}", json=decision, headers=operator).status_code == 200
    [left] = ann.client.get("/api/review/queue", headers=operator).json()
    assert left["id"] == emotion["id"]
    [done] = ann.client.get("/api/review/queue?state=amended&kind=edit", headers=operator).json()
    assert (done["amended"], done["tags"]) == ("Oh no, your poor cat.", ["tone"])
    assert {one["kind"]: one["count"] for one in ann.client.get("/api/review/counts", headers=operator).json()} == {
        "edit": 1,
        "emotion": 1,
    }
    assert ann.client.get("/api/review/export", headers=operator).text == "", "nobody agreed to research use"
    ann.client.put("/api/consent", json={"research": True})
    [line] = ann.client.get("/api/review/export", headers=operator).text.splitlines()
    assert json.loads(line)["amended"] == "Oh no, your poor cat."


def test_reported_dialogues_are_marked_and_kept_apart(ann: Person, talk: str, operator: dict[str, str]) -> None:
    ann.client.put("/api/consent", json={"research": True})
    other = ann.begin()
    ann.say(other, "hello")
    for conversation in (talk, other):
        note(ann, ann.turns(conversation)[1]["id"], "edit", text="better")
    note(ann, ann.turns(talk)[1]["id"], "report", reason="hurtful")
    for item in ann.client.get("/api/review/queue", headers=operator).json():
        ann.client.post(f"/api/review/{item['id']}", json={"decision": "accept"}, headers=operator)
    for part, kinds in (
        ("reported", ["edit", "report"]),
        ("unreported", ["edit"]),
        ("all", ["edit", "edit", "report"]),
    ):
        lines = ann.client.get(f"/api/review/export?part={part}", headers=operator).text.splitlines()
        assert sorted(json.loads(line)["kind"] for line in lines) == kinds
        if part != "all":
            assert {json.loads(line)["dialogue_reported"] for line in lines} == {part == "reported"}


def test_a_decision_needs_an_item_and_an_amendment_its_text(ann: Person, talk: str, operator: dict[str, str]) -> None:
    note(ann, ann.turns(talk)[1]["id"], "report", reason="other")
    [item] = ann.client.get("/api/review/queue", headers=operator).json()
    decide = f"/api/review/{item['id']}"
    assert ann.client.post(decide, json={"decision": "amend"}, headers=operator).status_code == 422
    assert ann.client.post(decide, json={"decision": "burn"}, headers=operator).status_code == 422
    assert ann.client.post("/api/review/missing", json={"decision": "accept"}, headers=operator).status_code == 404
