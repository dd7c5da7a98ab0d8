"""What makes a reply worse without making it forbidden: a program that tells of its mother, or says it all twice."""

import re

from hearten.data.tokens import words
from hearten.listener.own_life import tells_of_itself

CRUDE = re.compile(
    r"\b(?:piss(?:ed|es)?|crap(?:py)?|damn(?:ed)?|hell (?:no|yeah)|the hell|sucks?|screw(?:ed)?|butt|ass)\b", re.I
)
RUN = 4
"""Words in a row that a reply does not say twice."""
SENTENCE = re.compile(r"[^.!?]+")


def flaws(text: str) -> list[str]:
    """Name what is wrong with a reply, whatever it replies to."""
    found = {
        "a life of its own": tells_of_itself(text),
        "crude": CRUDE.search(text),
        "says the same twice": _repeats_itself(text),
    }
    return [name for name, is_there in found.items() if is_there]


def _repeats_itself(text: str) -> bool:
    said = words(text)
    runs = [tuple(said[place : place + RUN]) for place in range(len(said) - RUN + 1)]
    sentences = [tuple(words(one)) for one in SENTENCE.findall(text) if words(one)]
    return len(set(runs)) < len(runs) or len(set(sentences)) < len(sentences)
