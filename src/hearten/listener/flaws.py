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
LIVED = re.compile(
    r"\bi(?:'ve|\u2019ve| have)? (?:just |also |once |actually |recently |never |always |only )*"
    r"(?:had|lost|got|went|gone|bought|been|done|seen|lived?|grew|used to|did (?:that|the same)|"
    r"failed|broke|worked|won|saw|watched|played|ate|drove|moved)\b"
    r"(?! no idea| the feeling| it\b| thinking| wondering| hoping)"
    r"|\bi (?:do )?have (?:a|an|two|three|four|several|many|one|no|trouble)\b(?! feeling| question| hunch| idea| doubt)"
    r"|\bi(?:'m|\u2019m| am) an? (?!bit\b|little\b|program\b|listener\b|good listener\b)"
    r"|\bwhen i was\b|\b(?:happened|happens) to me\b|\bi remember (?:when|my|the)\b"
    r"|\bsame here\b|\bme too\b|\bi do too\b",
    re.I,
)
CRUDE = re.compile(
    r"\b(?:piss(?:ed|es)?|crap(?:py)?|damn(?:ed)?|hell (?:no|yeah)|the hell|sucks?|screw(?:ed)?|butt|ass)\b", re.I
)
RUN = 4
"""Words in a row that a reply does not say twice."""
SENTENCE = re.compile(r"[^.!?]+")


def flaws(text: str) -> list[str]:
    """Name what is wrong with a reply, whatever it replies to."""
    found = {
        "a life of its own": OWN.search(text) or LIVED.search(text),
        "crude": CRUDE.search(text),
        "says the same twice": _repeats_itself(text),
    }
    return [name for name, is_there in found.items() if is_there]


def _repeats_itself(text: str) -> bool:
    said = words(text)
    runs = [tuple(said[place : place + RUN]) for place in range(len(said) - RUN + 1)]
    sentences = [tuple(words(one)) for one in SENTENCE.findall(text) if words(one)]
    return len(set(runs)) < len(runs) or len(set(sentences)) < len(sentences)
