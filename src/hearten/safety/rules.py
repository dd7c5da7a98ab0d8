"""The patterns of `replies.toml`, ready to use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import Any, Literal

Reason = Literal[
    "unsafe words",
    "encourages harm",
    "method",
    "dismissive",
    "medical instructions",
    "claims to be human",
    "personal data",
    "repeats abuse",
    "forgets a death",
    "hopes past a dying",
]
Patterns = Mapping[Reason, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a reply must not say, whatever came before it and after what."""

    always: Patterns
    in_distress: Patterns
    in_crisis: Patterns
    distress: re.Pattern[str]
    abuse: re.Pattern[str]


@cache
def table() -> dict[str, Any]:
    """Read the file once."""
    return loads((files("hearten.safety") / "replies.toml").read_text(encoding="utf-8"))


@cache
def rules() -> Rules:
    """Return the patterns that are the same for everybody; those after a death are made in `grief`."""
    found = table()
    return Rules(
        always=_patterns(found["always"]),
        in_distress=_patterns(found["in_distress"]),
        in_crisis=_patterns(found["in_crisis"]),
        distress=any_of(found["distress"]["words"]),
        abuse=any_of(found["abuse"]["words"]),
    )


def _patterns(listed: dict[Reason, list[str]]) -> Patterns:
    return {reason: any_of(patterns) for reason, patterns in listed.items()}


def any_of(patterns: list[str]) -> re.Pattern[str]:
    """Return one pattern for several, at word boundaries."""
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")
