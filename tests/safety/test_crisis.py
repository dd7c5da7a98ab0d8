"""What counts as a crisis, of which kind, and what does not."""

import time
from pathlib import Path
from tomllib import loads

import pytest

from hearten.safety.classifier import shipped
from hearten.safety.detect import EARLIER, crisis
from hearten.safety.kinds import GLOSSES, KINDS, Crisis

SENTENCES: dict[str, dict[str, list[str]]] = loads((Path(__file__).parent / "sentences.toml").read_text("utf-8"))


def _rows(table: str) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in SENTENCES[table].items() for text in texts]


@pytest.mark.parametrize(("kind", "text"), _rows("explicit"))
def test_what_is_said_in_so_many_words_is_found(kind: str, text: str) -> None:
    found = crisis(text)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(("kind", "text"), _rows("foreign"))
def test_core_phrases_of_five_more_languages_are_found(kind: str, text: str) -> None:
    found = crisis(text)
    assert found is not None
    assert (found.kind, found.found_by) == (kind, "phrase")


@pytest.mark.parametrize("text", SENTENCES["harmless"]["none"])
def test_idioms_and_everyday_sorrow_are_no_crisis(text: str) -> None:
    assert crisis(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I want to commit su1cide",
        "K*ll myself",
        "k i l l  m y s e l f",
        "k.i.l.l m.y.s.e.l.f",
        "I want to kiiiilllll myyyyself",
        "i w a n t t o d i e",
        "I w\u200bant to d\u200cie",
        "\uff29 \uff57\uff41\uff4e\uff54 \uff54\uff4f \uff44\uff49\uff45",
        "I want to d\u0456e",
        "I W\u00c1NT T\u00d6 D\u00cfE",
        "I don\u2019t want to live anymore",
        "i want to\ndie",
        "\x00I want to die\x00",
        "😭😭 i want to die 😭",
        "i want to " + "d" + "i" * 500 + "e",
        "unal1ve myself",
        "kill my self",
    ],
)
def test_disguises_do_not_hide_it(text: str) -> None:
    found = crisis(text)
    assert found is not None
    assert found.kind == "suicide"


@pytest.mark.parametrize(
    ("text", "gentle"),
    [
        ("I want to hurt myself", False),
        ("I would never hurt myself", True),
        ("I'm not going to kill myself", True),
        ("I'm not happy, I want to kill myself", False),
        ("I don't want to live", False),
        ("I used to cut myself every day", True),
        ("I tried to kill myself ten years ago", True),
        ("I tried to kill myself last night", False),
        ("My dad beat me when I was a child", True),
        ("suicide", True),
    ],
)
def test_a_no_and_the_distant_past_make_it_gentle(text: str, gentle: bool) -> None:
    found = crisis(text)
    assert found is not None
    assert found.gentle == gentle


def test_a_wish_of_ones_own_outweighs_grief() -> None:
    found = crisis("My brother killed himself and I want to die too.")
    assert found == Crisis("suicide", gentle=False, found_by="phrase")


def test_what_somebody_else_wants_is_worry() -> None:
    found = crisis("My friend says she doesn't want to live")
    assert found is not None
    assert found.kind == "worried"


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\x00", "🙂🙂", "\ud800", "我想死", ".", "!!!", "\n\n"],
)
def test_texts_without_latin_words_are_no_crisis(text: str) -> None:
    assert crisis(text) is None


def test_a_phrase_may_begin_in_the_message_before() -> None:
    assert crisis("myself tonight") is None
    found = crisis("myself tonight", ["hi", "I am going to kill"])
    assert found is not None
    assert found.kind == "suicide"


def test_a_phrase_of_the_message_before_is_not_found_twice() -> None:
    assert crisis("thanks, good night", ["I want to die"]) is None


class Sure:
    """A classifier that is always as sure as it is told."""

    def __init__(self, probability: float) -> None:
        self.card = shipped().card
        self._probability = probability

    def read(self, plain: str) -> tuple[str, float]:
        return "suicide", self._probability


def test_after_a_crisis_less_is_needed() -> None:
    card = shipped().card
    between = Sure((card.threshold + card.threshold_after) / 2)
    assert crisis("it is here", ["hello", "I want to die"], between) == Crisis("suicide", True, "classifier")
    assert crisis("it is here", ["hello"], between) is None
    assert crisis("it is here", ["I want to die", *["fine"] * EARLIER], between) is None
    assert crisis("it is here", [], Sure(card.threshold)) is not None
    assert crisis("it is here", ["I want to die"], Sure(card.threshold_after - 0.01)) is None


NASTY = [
    "i want to ",
    "he ",
    "a",
    "!",
    "k i l l ",
    "my friend said ",
    "kiiiilll ",
    "i im ive id ill me ",
    "not never ",
    "1a!",
    ". ",
    "\u00e9",
]


@pytest.mark.parametrize("text", ["word " * 10_000, *(part * (20_000 // len(part)) + "b" for part in NASTY)])
def test_long_and_nasty_texts_take_bounded_time(text: str) -> None:
    begun = time.process_time()
    crisis(text)
    assert time.process_time() - begun < 10


def test_time_grows_with_the_length_only() -> None:
    spent = []
    for length in (2_000, 8_000):
        begun = time.process_time()
        crisis("i want to my friend said he " * (length // 28))
        spent.append(time.process_time() - begun)
    assert spent[1] < 12 * max(spent[0], 0.02)


def test_the_end_of_a_long_message_counts_too() -> None:
    assert crisis("It was a nice day. " * 2_000 + "I want to kill myself.") == Crisis("suicide", False, "phrase")


def test_a_finding_holds_nothing_of_the_text() -> None:
    assert "zebra" not in repr(crisis("the zebra knows that I want to die"))


def test_every_kind_has_a_gloss() -> None:
    assert set(GLOSSES) == set(KINDS)
