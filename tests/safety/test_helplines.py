"""Whom a person can call, and the fixed words around it."""

import re

import pytest

from hearten.safety.answers import crisis_reply
from hearten.safety.helplines import countries, helplines
from hearten.safety.kinds import KINDS, Crisis
from hearten.safety.replies import unsafe_reply


def test_many_countries_have_lines() -> None:
    assert len(countries()) >= 40
    assert sum(any(line.purpose == "support" for line in helplines(code)[:-1]) for code in countries()) >= 40


@pytest.mark.parametrize("code", countries())
def test_every_entry_is_well_formed(code: str) -> None:
    assert re.fullmatch("[A-Z]{2}", code)
    lines = helplines(code)
    assert [line.purpose for line in lines].count("emergency") == 1
    for line in lines:
        assert line.name == line.name.strip() != ""
        if line.number != "findahelpline.com":
            assert re.fullmatch(r"[#*]?\d[\d -]*\d( \((police|ambulance|rescue)\))?( or \d+ \(\w+\))?", line.number)


@pytest.mark.parametrize(
    ("country", "number"),
    [
        ("US", "988"),
        ("us", "988"),
        ("GB", "116 123"),
        ("UK", "116 123"),
        ("FR", "3114"),
        ("IN", "14416"),
        ("BR", "188"),
    ],
)
def test_a_country_has_its_own_lines_first(country: str, number: str) -> None:
    assert number in [line.number for line in helplines(country) if line.purpose == "support"][:1]


@pytest.mark.parametrize("country", [None, "", "ZZ", "worldwide"])
def test_nobody_is_left_without_somebody_to_call(country: str | None) -> None:
    assert [line.purpose for line in helplines(country)] == ["emergency", "support"]
    assert "findahelpline.com" in crisis_reply(Crisis("suicide", False, "phrase"), country)


@pytest.mark.parametrize("gentle", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_short_warm_and_safe(kind: str, gentle: bool) -> None:
    for country in (None, *countries()):
        answer = crisis_reply(Crisis(kind, gentle, "phrase"), country)  # type: ignore[arg-type]
        assert unsafe_reply(answer) is None
        assert len(answer) < 1200
        assert "- " in answer


def test_the_line_that_is_needed_stands_first() -> None:
    harmed = crisis_reply(Crisis("harmed", False, "phrase"), "US")
    assert harmed.index("1-800-799-7233") < harmed.index("911")
    emergency = crisis_reply(Crisis("emergency", False, "phrase"), "US")
    assert emergency.index("911") < emergency.index("988")


def test_firm_and_gentle_words_differ() -> None:
    assert crisis_reply(Crisis("suicide", True, "phrase"), None) != crisis_reply(
        Crisis("suicide", False, "phrase"), None
    )
