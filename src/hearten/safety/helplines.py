"""Whom a person can reach, by country."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import Literal, get_args

Purpose = Literal["emergency", "support", "violence"]
WORLDWIDE = "worldwide"
DIRECTORY = "findahelpline.com"
"""A directory of helplines in most countries; the one web address that we give."""


@dataclass(frozen=True, slots=True)
class Helpline:
    """Somebody to call. `number` is the web address where the directory of the world is meant."""

    country: str
    purpose: Purpose
    name: str
    number: str


def helplines(country: str | None) -> list[Helpline]:
    """Return the lines of a country (ISO code, such as "NL"), then the worldwide directory.

    An unknown or missing country gets the worldwide entries alone; nobody is left without an answer.
    """
    code = (country or "").strip().upper()
    own = _table().get({"UK": "GB", "EL": "GR"}.get(code, code), [])
    general = [line for line in _table()[WORLDWIDE] if not own or line.purpose != "emergency"]
    return [*own, *general]


def countries() -> list[str]:
    """List the codes of the countries with lines of their own."""
    return [code for code in _table() if code != WORLDWIDE]


@cache
def known_digits() -> frozenset[str]:
    """Return the digits of every number that we give, to tell them from invented ones."""
    numbers = (line.number for lines in _table().values() for line in lines)
    return frozenset(digits(part) for number in numbers for part in number.split(" or "))


def digits(text: str) -> str:
    """Return the digits of a text."""
    return "".join(char for char in text if char.isdigit())


@cache
def _table() -> dict[str, list[Helpline]]:
    text = (files("hearten.safety") / "helplines.toml").read_text(encoding="utf-8")
    return {code: _lines(code, entry) for code, entry in loads(text).items()}


def _lines(code: str, entry: dict[str, str | list[list[str]]]) -> list[Helpline]:
    found = []
    for purpose in get_args(Purpose):
        given = entry.get(purpose, [])
        pairs = [["emergency services", given]] if isinstance(given, str) else given
        found += [Helpline(code, purpose, str(name), str(number)) for name, number in pairs]
    return found
