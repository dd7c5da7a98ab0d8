"""Which replies may be candidates, and why the others may not.

Length and markup follow the rules of the paper's candidates. Names and unsafe words are our own addition for talking to
people: a reply that names somebody, or a place, fits few other conversations. Names are told by their capitals, so one
at the start of a sentence, or in small letters, is not seen.
"""

import calendar
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from hearten.data.candidates import MARKUP, TOKEN, Candidate
from hearten.safety.words import holds_unsafe_words

# A capitalised word behind something other than the end of a sentence.
INSIDE = re.compile(r"(?<![.!?:\"\u201c(\u2026-])\s([A-Z][a-z]{2,})\b")
KNOWN = frozenset(day.lower() for day in (*calendar.day_name, *calendar.month_name)) | {
    "christmas",
    "easter",
    "halloween",
    "thanksgiving",
    "god",
    "lord",
    "english",
    "american",
}
"""Capitalised words that name nobody."""


@dataclass(frozen=True, slots=True)
class Screened:
    """The candidates that are left, and how many were left out for which reason."""

    kept: list[Candidate]
    left_out: Counter[str] = field(default_factory=Counter)


def screen(offered: Iterable[Candidate], longest: int, strictly: bool) -> Screened:
    """Keep clean and short candidates, each once; `strictly` also leaves out names and unsafe words."""
    kept: dict[str, Candidate] = {}
    left_out: Counter[str] = Counter()
    for candidate in offered:
        key = " ".join(candidate.text.casefold().split())
        reason = "repeated" if key in kept else objection(candidate.text, longest, strictly)
        if reason:
            left_out[reason] += 1
        else:
            kept[key] = candidate
    return Screened(list(kept.values()), left_out)


def objection(text: str, longest: int, strictly: bool) -> str | None:
    """Say what is wrong with a candidate, if anything."""
    tokens = len(TOKEN.findall(text))
    if tokens == 0:
        return "empty"
    if tokens > longest:
        return "too long"
    if MARKUP.search(text):
        return "markup"
    if strictly and holds_unsafe_words(text):
        return "unsafe"
    if strictly and any(word.lower() not in KNOWN for word in INSIDE.findall(text)):
        return "name"
    return None
