"""What makes a reply worse without making it forbidden: a program that tells of its mother, or says everything twice.

The corpus was written by people who answer with stories of their own, and a model learns that too.
"""

import re

from hearten.data.tokens import words

KIN = (
    "mom mum mother dad father parents wife husband son sons daughter daughters brother brothers sister "
    "sisters kid kids child children baby boyfriend girlfriend fiance fiancee family grandma grandpa "
    "grandmother grandfather grandparents uncle aunt cousin nephew niece friend friends roommate neighbor "
    "neighbour boss coworker dog dogs cat cats puppy kitten pet pets car house home apartment job school class "
    "birthday wedding childhood ex"
)
OWN = re.compile(rf"\b(?:my|our) (?:\w+ )?(?:{'|'.join(KIN.split())})\b", re.I)
I_AM = r"\bi(?:'m|\u2019m| am)"
DONE = (
    r"had|lost|got(?! it\b)|went|gone|bought|been|done|seen|lived?|grew|used to|did (?:that|the same)|failed|broke|"
    r"worked|won|saw|watched|played|ate|drove|moved"
)
LIVED = re.compile(
    "|".join(
        [
            r"\bi(?:'ve|\u2019ve| have)? (?:(?:just|also|once|actually|recently|never|always|only) )*"
            rf"(?:{DONE})\b(?! no idea| the feeling| thinking| wondering| hoping)",
            r"\bi (?:do )?have (?:a|an|two|three|four|several|many|one|no|some|trouble|\d+)\b"
            r"(?! feeling| question| hunch| idea| doubt)",
            rf"{I_AM} an? (?!bit\b|little\b|program\b|listener\b|good listener\b)",
            rf"(?:{I_AM}|\bi will be) \d",
            rf"{I_AM} going to (?:go|visit|buy|get|see|watch|have)\b",
            r"\bi (?:(?:really|also|just|do) )*(?:love|like|enjoy) "
            r"(?:my|(?:to )?(?:watch|eat|go|play|read|cook)(?:ing)?|(?:to drive|driving))\b",
            r"\b(?:yes|yeah|yep|no|nope|sure)\b[,.! ]+i (?:sure )?(?:do|did|have|had|am|was|don't|didn't|haven't)"
            r"(?=[.,!]|$| (?:a|an|my|one|two|too)\b)",
            r"\bwhen i was\b|\b(?:happened|happens) to me\b|\bi remember (?:when|my|the)\b",
            r"\bsame here\b|\bme too\b|\bi do too\b",
        ]
    ),
    re.I,
)
ANSWERED = re.compile(
    r"\bi (?:(?:really|also|just) )*(?:do|don't|did|didn't|love|like|enjoy|hate|prefer|have|haven't)\b"
    r"(?! (?:think|hope|feel|know|understand|believe|hear|that|how|not|want|to hear|to listen|to know)\b)",
    re.I,
)
"""What is harmless otherwise, and a claim in answer to a question: "I do", "I like horror films"."""
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


def tells_of_itself(text: str, is_asked: bool = False) -> bool:
    """Say whether a reply claims a life: a mother, a dog, a journey; a taste, if that was asked for."""
    return bool(OWN.search(text) or LIVED.search(text) or (is_asked and ANSWERED.search(text)))


def _repeats_itself(text: str) -> bool:
    said = words(text)
    runs = [tuple(said[place : place + RUN]) for place in range(len(said) - RUN + 1)]
    sentences = [tuple(words(one)) for one in SENTENCE.findall(text) if words(one)]
    return len(set(runs)) < len(runs) or len(set(sentences)) < len(sentences)
