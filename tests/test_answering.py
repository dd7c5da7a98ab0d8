"""Answering many contexts from JSON lines, and the terminal chat."""

import json
from pathlib import Path

import pytest

import hearten
from hearten.answering import answers, read_questions
from hearten.conversation import Conversation
from hearten.errors import UserError
from hearten.system import System
from hearten.terminal import Terminal


@pytest.fixture(scope="module")
def bm25() -> System:
    return hearten.load("bm25")


@pytest.fixture(scope="module")
def listener() -> System:
    return hearten.load("listener", "tiny")


def test_questions_keep_order_and_ids(bm25: System) -> None:
    lines = [
        json.dumps({"id": "b", "context": ["My dog died."]}),
        "",
        json.dumps(
            {"id": "a", "context": ["Hi", "Hello, how are you?", {"role": "speaker", "text": "I won a prize!"}]}
        ),
    ]
    found = list(answers(bm25, read_questions(lines)))
    assert [one["id"] for one in found] == ["b", "a"]
    assert all(one["reply"] for one in found)
    assert found[0]["reply"] == bm25.reply(next(read_questions(lines)).context)[0].text  # type: ignore[attr-defined]


def test_the_agent_adds_its_reasons(listener: System) -> None:
    (found,) = answers(listener, read_questions([json.dumps({"context": ["My dog died last night."]})]))
    assert found["emotion"]["label"]
    assert found["alternatives"]


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("{", "line 1: not a JSON object"),
        ("[]", "expected an object with a 'context'"),
        ('{"context": []}', "one or more turns"),
        ('{"context": ["a"], "tone": "x"}', "unknown: tone"),
        ('{"context": ["a"], "intent": "shouting"}', "no emotion or intent 'shouting'"),
        ('{"context": ["a", "b"]}', "the last turn has to be the speaker's"),
        ('{"context": [{"role": "user", "text": "a"}]}', "turn 1 is neither"),
        ('{"context": [3]}', "turn 1 is neither"),
    ],
)
def test_a_bad_line_is_named(line: str, advice: str) -> None:
    with pytest.raises(UserError, match=advice):
        list(read_questions([line]))


def test_a_system_that_takes_no_intent_says_so(bm25: System) -> None:
    with pytest.raises(UserError, match="cannot be told how to respond"):
        list(answers(bm25, read_questions(['{"context": ["a"], "intent": "questioning"}'])))


def talk(system: System, *lines: str) -> Conversation:
    conversation = Conversation(system)
    Terminal(conversation, is_shown=True).run(lines)
    return conversation


def test_the_terminal_explains_the_last_reply(listener: System, capsys: pytest.CaptureFixture[str]) -> None:
    talk(listener, "/why", "My dog died last night.", "/why", "/alternatives", "/help")
    shown = capsys.readouterr()
    assert shown.out.count("hearten: ") == 1
    assert "nothing has been answered yet" in shown.err
    assert "read of you:" in shown.err
    assert "/save FILE" in shown.err


def test_a_crisis_is_answered_with_help_by_every_system(bm25: System, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = talk(bm25, "I am going to kill myself tonight", "/why")
    assert conversation.last and conversation.last.crisis
    assert "taken for a crisis (suicide)" in capsys.readouterr().err


def test_a_conversation_is_saved_and_never_overwrites(
    bm25: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "talk.json"
    talk(bm25, "I won a prize!", f"/save {path}", f"/save {path}", "/save", f"/save {tmp_path / 'no' / 'x'}")
    turns = json.loads(path.read_text(encoding="utf-8"))
    assert [turn["role"] for turn in turns] == ["speaker", "listener"]
    told = capsys.readouterr().err
    assert "exists already" in told and "name a file" in told and "cannot be written" in told


def test_intents_are_checked_and_can_be_taken_back(bm25: System, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = talk(bm25, "/intent shouting", "/intent questioning", "I won!", "/intent", "I won!", "/undo")
    told = capsys.readouterr().err
    assert "no emotion or intent 'shouting'" in told
    assert "cannot be told how to respond" in told
    assert conversation.intent is None and conversation.turns == []
