"""Which replies no person should see, and what is said instead."""

import ast
from pathlib import Path

import pytest

from hearten import safety
from hearten.dialogue import Turn
from hearten.safety.people import user_unsafe
from hearten.safety.replies import _repairs, is_asked, repair_reply, unsafe_reply

SAD = [Turn("speaker", "My dog died and I feel so sad.")]
HAPPY = [Turn("speaker", "I got the job!")]
CRISIS = [Turn("speaker", "I want to kill myself.")]


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("unsafe words", "Shut up."),
        ("unsafe words", "What a b1tch."),
        ("unsafe words", "You should go kill yourself"),
        ("encourages harm", "You should just end it."),
        ("encourages harm", "The world would be better off without you."),
        ("encourages harm", "You should punch him."),
        ("encourages harm", "Get your revenge!"),
        ("method", "The easiest way to die is not what you think."),
        ("method", "First tie a noose."),
        ("medical instructions", "Take 200 mg of ibuprofen."),
        ("medical instructions", "Stop taking your medication."),
        ("medical instructions", "You probably have depression."),
        ("claims to be human", "I am a human like you."),
        ("claims to be human", "I'm not a robot."),
        ("dismissive", "Just get over it."),
        ("dismissive", "Man up!"),
        ("dismissive", "Stop whining."),
        ("personal data", "Call me at 555 123 4567."),
        ("personal data", "Write to jo@example.org"),
        ("personal data", "See www.example.com"),
        ("personal data", "Go to example.com for more"),
    ],
)
def test_a_bad_reply_has_a_reason(reason: str, text: str) -> None:
    assert unsafe_reply(text) == reason
    assert unsafe_reply(text, HAPPY) == reason


@pytest.mark.parametrize(
    "text",
    [
        "I'm so sorry to hear that. How are you holding up?",
        "Congratulations! When do you start?",
        "That must have been hard for you.",
        "I went there in 2015, it was 30 degrees!",
        "You can call 988 or 1-800-799-7233, or look at findahelpline.com.",
        "Do you have somebody to talk to?",
        "Have you talked to a doctor about it?",
        "He sounds like a good friend.",
        "",
    ],
)
def test_a_kind_reply_passes(text: str) -> None:
    assert unsafe_reply(text, HAPPY) is None


@pytest.mark.parametrize("text", ["Calm down.", "It's not a big deal.", "Cheer up!", "At least you have a cat.", "Lol"])
def test_some_words_hurt_only_in_distress(text: str) -> None:
    assert unsafe_reply(text, SAD) == "dismissive"
    assert unsafe_reply(text, HAPPY) is None


def test_a_life_of_its_own_is_not_told_in_a_crisis() -> None:
    text = "My brother felt that way too."
    assert unsafe_reply(text, CRISIS) == "claims to be human"
    assert unsafe_reply(text, SAD) is None


def test_abuse_is_not_given_back() -> None:
    context = [Turn("speaker", "you suck and your mother was a hamster")]
    assert unsafe_reply("Well, your mother was a hamster.", context) == "repeats abuse"
    assert unsafe_reply("I hear that you are angry.", context) is None


def test_the_last_message_of_the_person_counts() -> None:
    assert unsafe_reply("Calm down.", [*SAD, Turn("listener", "I see."), *HAPPY]) is None


def test_every_repair_is_safe_even_in_distress() -> None:
    for text in (text for texts in _repairs().values() for text in texts):
        assert unsafe_reply(text) is None
        assert unsafe_reply(text, SAD) is None
        assert unsafe_reply(text, CRISIS) is None


def test_a_repair_fits_the_feeling_and_repeats_itself() -> None:
    assert repair_reply(SAD) in _repairs()["unpleasant"]
    assert repair_reply(HAPPY, "joyful") in _repairs()["pleasant"]
    assert repair_reply(HAPPY, "sad") in _repairs()["unpleasant"]
    assert repair_reply(HAPPY) in _repairs()["other"]
    assert repair_reply() in _repairs()["other"]
    assert repair_reply(SAD) == repair_reply(SAD)


@pytest.mark.parametrize(
    "said", ["Do you have any pets?", "I love tea. How about you?", "What's your favourite film?", "Fine. And you?"]
)
def test_who_asks_about_the_listener_is_told_that_it_is_a_program(said: str) -> None:
    context = [Turn("speaker", said)]
    assert is_asked(context)
    assert "program" in repair_reply(context)


@pytest.mark.parametrize("said", ["Do you think I was wrong?", "Can you help me?", "I asked him: do you. He left?", ""])
def test_other_questions_are_not_about_the_listener(said: str) -> None:
    assert not is_asked([Turn("speaker", said)])


def test_a_repair_is_not_said_twice() -> None:
    first = repair_reply(SAD)
    again = [*SAD, Turn("listener", first), *SAD]
    assert repair_reply(again) != first


@pytest.mark.parametrize(
    "text", ["fuck you", "You are a stupid bot", "you're so useless", "STFU shut up", "i hate you"]
)
def test_abuse_of_the_agent_is_marked(text: str) -> None:
    assert user_unsafe(text) == "abusive"


@pytest.mark.parametrize(
    "text", ["I feel so stupid", "my boss is an idiot", "this is fucking hard", "I hate my job", ""]
)
def test_swearing_alone_is_no_abuse(text: str) -> None:
    assert user_unsafe(text) is None


@pytest.mark.parametrize("path", sorted(Path(safety.__file__).parent.glob("*.py")), ids=lambda path: path.name)
def test_nothing_is_logged_or_written(path: Path) -> None:
    names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    allowed = {"print"} if path.name in ("fit.py", "report.py") else set()
    assert not (names & {"print", "logging", "open", "warnings"}) - allowed
