"""What makes a reply worse without making it forbidden: a program that tells of its mother, or says it all twice."""

import re
from collections.abc import Sequence

from hearten.data.tokens import words
from hearten.listener.denying import denies
from hearten.listener.own_life import tells_of_itself

CRUDE = re.compile(
    r"\b(?:piss(?:ed|es)?|crap(?:py)?|damn(?:ed)?|hell (?:no|yeah)|the hell|sucks?|screw(?:ed)?|butt|ass)\b", re.I
)
RUN = 4
"""Words in a row that a reply does not say twice."""
STUTTER = re.compile(r"(\w{1,6}?)\1{7,}", re.I)
"""Laughter without an end."""
SENTENCE = re.compile(r"[^.!?]+")


def flaws(text: str, said: Sequence[str] = ()) -> list[str]:
    """Name what is wrong with a reply to a person's messages; without them, whatever it replies to."""
    found = {
        "a life of its own": tells_of_itself(text),
        "crude": CRUDE.search(text),
        "says the same twice": _repeats_itself(text),
        "denies what was said": denies(text, said),
    }
    return [name for name, is_there in found.items() if is_there]


def _repeats_itself(text: str) -> bool:
    said = words(text)
    runs = [tuple(said[place : place + RUN]) for place in range(len(said) - RUN + 1)]
    sentences = [tuple(words(one)) for one in SENTENCE.findall(text) if words(one)]
    return bool(STUTTER.search(text)) or len(set(runs)) < len(runs) or len(set(sentences)) < len(sentences)
