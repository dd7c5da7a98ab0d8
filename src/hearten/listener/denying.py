"""Does a reply take comfort in something not being so, after the person said that it is?

"I'm glad he wasn't drunk", to somebody who told of a drunk. A small language model knows the word and forgets what was
said with it. Other denials are left alone: "It is not your fault" is kind.
"""

import re
from collections.abc import Iterable, Sequence

from hearten.data.tokens import words

SENTENCE = re.compile(r"[^.!?]+[.!?]*")
NOT = r"\b(?:not|never|(?:did|do|does|was|were|is|are|has|have|had) ?n'?t)\b"
PAST = r"\b(?:did|was|were) ?(?:n'?t|not)\b"
COMFORT = re.compile(
    rf"\b(?:glad|good|great|happy|lucky|luckily|thankfully|relieved|nice|at least)\b.*?{NOT}|\bhope\b.*?{PAST}", re.I
)
"""Up to the denial; hoping for what is still to come may well deny."""
OPEN = re.compile(rf"{NOT}|\b(?:no|nobody|none|nothing|without|can'?t|won'?t|if|or|might|maybe)\b|\?", re.I)
"""In a sentence with one of these the person may have said the same."""
NEAR = 4
"""Words behind a denial that may be what it denies."""
LONG = 4
EMPTY = frozenset(
    words("""
    that this have with your what they them been very really just like know want much about would could should there
    their when from will were being sure good well happy glad feel feeling make made more some time back think going
    anything everything something better nice great able always even still also
    """)
)
ENDING = re.compile(r"(?<=...)(?:ing|ied|ed|es|s|ly|e)$")


def denies(text: str, said: Sequence[str]) -> bool:
    """Say whether a reply is glad that something is not so which one of the person's messages says."""
    sentences = (one for one in SENTENCE.findall(_plain(text)) if not one.endswith("?"))
    found = [(one, match.end()) for one in sentences if (match := COMFORT.search(one))]
    told = _stems(sentence for message in said for sentence in SENTENCE.findall(_plain(message))) if found else set()
    return any(_telling(words(one[place:])[:NEAR]) & told for one, place in found)


def _stems(sentences: Iterable[str]) -> set[str]:
    return {stem for one in sentences if not OPEN.search(one) for stem in _telling(words(one))}


def _telling(some: Sequence[str]) -> set[str]:
    return {ENDING.sub("", word) for word in some if len(word) >= LONG and word not in EMPTY}


def _plain(text: str) -> str:
    return text.replace("\u2019", "'")
