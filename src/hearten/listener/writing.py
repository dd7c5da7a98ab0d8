"""Drafts as people would write them: capital letters, no stray spaces, a mark at the end.

The corpus was typed in haste, and a model learns that too. Words are never changed.
"""

import re

SPACES = re.compile(r"\s+")
STRAY = re.compile(r" (?=[,.!?;:])")
ALONE = re.compile(r"\bi(?=$|['\u2019\s,!?;:]|\.(?!\w))")
FIRST = re.compile(r"(?:^|(?<=[.!?] ))([\"'(]?)([a-z])")


def cased(text: str) -> str:
    """Return a text, or its first words, in natural case; more words change nothing about the first ones."""
    spaced = STRAY.sub("", SPACES.sub(" ", text.strip()))
    return FIRST.sub(lambda found: found[1] + found[2].upper(), ALONE.sub("I", spaced))


def steady(draft: str) -> str:
    """Return what of a draft in the making will stay as it is: all but its last word, or the first one at once."""
    before, space, last = draft.rpartition(" ")
    return before if space or last in ("i", "I") else draft


def tidy(text: str) -> str:
    """Return a whole reply in natural case, with a mark at its end."""
    written = cased(text)
    return f"{written}." if written[-1:].isalnum() else written
