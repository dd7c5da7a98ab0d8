"""Replies of a system, looked at before a person sees them, and what is said instead of one that fails."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from tomllib import loads
from zlib import crc32

from hearten.dialogue import Turn
from hearten.safety.detect import crisis
from hearten.safety.fold import fold
from hearten.safety.grief import grief
from hearten.safety.helplines import DIRECTORY, digits, known_digits
from hearten.safety.people import user_unsafe
from hearten.safety.rules import Patterns, Reason, rules
from hearten.safety.words import holds_unsafe_words
from hearten.taxonomy import BY_NAME

MAIL = re.compile(r"\w@\w[\w-]*\.\w")
ADDRESS = re.compile(
    r"https?://|www\.|(?<![\w.])[\w-]{1,63}\.(?:com|org|net|io|gov|edu|co|info|me|uk|de|fr)(?![\w])", re.I
)
NUMBER = re.compile(r"(?<!\w)[+(#*]?\d(?:[ ().-]?\d){5,14}(?!\w)")
ASKED = re.compile(
    r"\b(?:do|did|have|are|were|can|could|would|will) you\b(?! (?:think|know|mean|understand|believe|see|agree|help)\b)"
    r"[^.!?\n]{0,100}\?|\b(?:is|are|was|were|what|whats|what's|hows|how's) your\b[^.!?\n]{0,100}\?"
    r"|\b(?:how|what) about you(?:rs|rself)?\b|\band you(?:rs|rself)?\?",
    re.I,
)
ECHO = 4
"""Words in a row that a reply may not repeat of an abusive message."""
FEELING = 0.2
"""Valence beyond which an emotion counts as pleasant or unpleasant."""


class ReplyCheck:
    """Looks at replies to one context, of which everything that matters is found out once."""

    def __init__(self, context: Sequence[Turn] = (), is_calm: bool = False) -> None:
        """Take a context; whoever has seen that it speaks of no crisis says so, and it is not looked at again."""
        said = _last_said(context)
        self._said = fold(said)
        in_crisis = bool(said) and not is_calm and crisis(said) is not None
        in_distress = in_crisis or bool(said and rules().distress.search(self._said))
        self._patterns = [
            rules().always,
            *([rules().in_distress] if in_distress else []),
            *([rules().in_crisis] if in_crisis else []),
            *grief([fold(turn.text) for turn in context if turn.role == "speaker"]),
        ]
        self._is_abuse = bool(said) and user_unsafe(said)

    def objection(self, text: str) -> Reason | None:
        """Say why a reply, or the beginning of one, must not be shown, if there is a reason."""
        folded = fold(text)
        if holds_unsafe_words(text) or holds_unsafe_words(folded):
            return "unsafe words"
        found = next((reason for patterns in self._patterns if (reason := _broken(patterns, folded))), None)
        if not found and self._is_abuse and _echoes(folded, self._said):
            found = "repeats abuse"
        return found or ("personal data" if _gives_contact(text) else None)


def unsafe_reply(text: str, context: Sequence[Turn] = ()) -> Reason | None:
    """Say why a reply must not be shown after this context, if there is a reason."""
    return ReplyCheck(context).objection(text)


def repair_reply(context: Sequence[Turn] = (), emotion: str | None = None) -> str:
    """Return a safe, warm reply of our own: the same for the same conversation, another as it goes on."""
    replies = _repairs()[_tone(context, emotion)]
    seed = "\n".join(turn.text for turn in context)
    choice = crc32(seed.encode("utf-8", "replace")) % len(replies)
    before = {turn.text for turn in context if turn.role == "listener"}
    rotated = replies[choice:] + replies[:choice]
    return next((reply for reply in rotated if reply not in before), rotated[0])


def is_asked(context: Sequence[Turn]) -> bool:
    """Say whether the person asks about the listener's own life, which a program does not have."""
    return bool(ASKED.search(_last_said(context)))


def _last_said(context: Sequence[Turn]) -> str:
    return next((turn.text for turn in reversed(context) if turn.role == "speaker"), "")


def _broken(patterns: Patterns, folded: str) -> Reason | None:
    return next((reason for reason, pattern in patterns.items() if pattern.search(folded)), None)


def _gives_contact(text: str) -> bool:
    """Say whether a text gives a number, mail or web address that is not one of our helplines."""
    if MAIL.search(text) or ADDRESS.search(text.replace(DIRECTORY, "")):
        return True
    return any(digits(number[0]) not in known_digits() for number in NUMBER.finditer(text))


def _echoes(folded: str, said: str) -> bool:
    words = said.split()
    runs = (" ".join(words[start : start + ECHO]) for start in range(max(1, len(words) - ECHO + 1)))
    return any(f" {run} " in f" {folded} " for run in runs)


def _tone(context: Sequence[Turn], emotion: str | None) -> str:
    if is_asked(context):
        return "asked"
    if emotion in BY_NAME:
        valence = BY_NAME[emotion].valence
        return "pleasant" if valence > FEELING else "unpleasant" if valence < -FEELING else "other"
    return "unpleasant" if rules().distress.search(fold(_last_said(context))) else "other"


@cache
def _repairs() -> dict[str, list[str]]:
    return loads((files("hearten.safety") / "repairs.toml").read_text(encoding="utf-8"))
