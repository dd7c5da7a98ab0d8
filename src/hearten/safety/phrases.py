"""The phrase floor: what is said in so many words is found whatever the classifier thinks."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import Any

from hearten.safety.kinds import KINDS, Crisis, Kind

HARMLESS = "idiom"
"""What stands in the text where a harmless way of speaking was."""
BEFORE = 60
"""Characters before a phrase that are searched for a negation."""
ABOUT_OTHERS = ("worried", "bereaved")
ABOUT_SELF = ("suicide", "self-harm")


@dataclass(frozen=True, slots=True)
class Floor:
    """The patterns, ready to use: in the order in which they count, and what changes their meaning.

    `own` is a word for the person who writes, `other` a sentence that speaks of somebody else so far.
    """

    patterns: tuple[tuple[Kind, bool, re.Pattern[str]], ...]
    idioms: re.Pattern[str]
    fiction: re.Pattern[str]
    negation: re.Pattern[str]
    past: re.Pattern[str]
    own: re.Pattern[str]
    other: re.Pattern[str]


def without_idioms(folded: str) -> str:
    """Take harmless ways of speaking out of folded text."""
    return _floor().idioms.sub(HARMLESS, folded)


def spoken(plain: str, start: int = 0) -> Crisis | None:
    """Find the weightiest phrase that ends behind `start` in folded text without idioms."""
    softer: Crisis | None = None
    for kind, gentle, pattern in _floor().patterns:
        for match in pattern.finditer(plain):
            if match.end() <= start:
                continue
            found = _weighed(plain, match, kind, gentle)
            if found and not found.gentle:
                return found
            softer = softer or found
    return softer


def _weighed(plain: str, match: re.Match[str], kind: Kind, gentle: bool) -> Crisis | None:
    """Say how a phrase is meant where it stands."""
    floor = _floor()
    opening = plain.rfind(" . ", 0, match.start()) + 1
    closing = plain.find(" . ", match.end())
    sentence = plain[opening : closing if closing >= 0 else len(plain)]
    if (gentle or kind in ABOUT_OTHERS) and floor.fiction.search(sentence):
        return None
    if kind in ABOUT_SELF and floor.other.search(plain[opening : match.start()]) and not floor.own.search(match[0]):
        kind = "worried"
    denied = floor.negation.search(plain[max(opening, match.start() - BEFORE) : match.start()])
    return Crisis(kind, bool(gentle or denied or floor.past.search(sentence)), "phrase")


@cache
def _floor() -> Floor:
    phrases, hints, idioms = _table("phrases.toml"), _table("hints.toml"), _table("idioms.toml")
    parts: dict[str, str] = phrases["parts"]
    harmless = [_expanded(pattern, idioms["parts"]) for pattern in idioms["idioms"]["patterns"]]
    context: dict[str, str] = idioms["context"]
    return Floor(
        patterns=(*_patterns(phrases, parts), *_patterns(hints, parts)),
        idioms=_any_of(harmless),
        fiction=_any_of([context["fiction"]]),
        negation=re.compile(rf"\b{context['negation']} (?:to |of |ever |about |even |actually )?$"),
        past=_any_of([context["past"]]),
        own=re.compile(rf"\b{parts['i']}\b|\bmy(?:self)?\b"),
        other=re.compile(_expanded(r"\b<them>(?: (?!i\b|im\b|ive\b|id\b|ill\b)\w+){0,3} ?$", parts)),
    )


def _patterns(phrases: dict[str, Any], parts: dict[str, str]) -> list[tuple[Kind, bool, re.Pattern[str]]]:
    found: list[tuple[Kind, bool, re.Pattern[str]]] = []
    for strength in ("firm", "gentle"):
        for name, lists in phrases.items():
            if strength in lists and name != "parts":
                kind: Kind = name if name in KINDS else "suicide"
                texts = [_expanded(text, parts) for text in lists[strength]]
                found.append((kind, strength == "gentle", _any_of(texts)))
    return found


def _any_of(texts: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(texts)})\b")


def _expanded(pattern: str, parts: dict[str, str]) -> str:
    """Write the named parts out, which may name other parts."""
    while names := re.findall(r"<(\w+)>", pattern):
        for name in names:
            pattern = pattern.replace(f"<{name}>", parts[name])
    return pattern


def _table(name: str) -> dict[str, Any]:
    return loads((files("hearten.safety") / name).read_text(encoding="utf-8"))
