"""Which words are typical of an emotion.

Log-odds with an informative prior (Monroe, Colaresi and Quinn 2008, "Fightin' Words"): for each word the log-odds of
meeting it with this emotion are compared with those of meeting it with any other, both smoothed with the word's share
in the whole corpus, and the difference is divided by its standard deviation. Words that every emotion uses come out
near zero, and so do words too rare to tell; function words are left out beforehand.
"""

import math
from collections import Counter
from collections.abc import Iterable

from hearten.data.tokens import words

PRIOR = 1000.0
"""How many words of typical text each side is smoothed with."""
RAREST = 5

_LISTED = """
a able about after again ago all almost already also always am an and any anyone anything are aren't around as at away
back be became because been before being between both but by came can can't cannot cant come could couldn't couldnt did
didn't didnt do does doesn't doesnt doing don't done dont down during each else enough even ever every everyone
everything few first for from get gets getting go goes going gone gonna got had hadn't has hasn't have haven't having
he he'd he's her here hers him himself his how i i'd i'll i'm i've if im in into is isn't isnt it it's its ive just
last least less let like lot lots made make makes many me might mine more most much must my myself near never next no
nobody not nothing now of off on once one only or other others our out over own per put quite rather really said same
say says see she she'd she's should shouldnt so some someone something soon still such than that that's thats the their
them themselves then there there's these they they'd they're they've thing things this those though through till to
together told too took two under until up us use used very want wanted wants was wasn't wasnt way we we'd we're we've
well went were weren't what when where whether which while who whole whom why will with without won't wont would
wouldn't yet you you'd you're you've your
"""
FUNCTION_WORDS = frozenset(_LISTED.split())


def content_words(text: str) -> list[str]:
    """Return the lower-cased words of a text without function words, numbers and single letters."""
    return [word for word in words(text) if len(word) > 1 and word[0].isalpha() and word not in FUNCTION_WORDS]


def top_words(texts: Iterable[tuple[str, str]], count: int = 8) -> dict[str, list[str]]:
    """Return the words most typical of each label, best first, given pairs of label and text."""
    by_label: dict[str, Counter[str]] = {}
    for label, text in texts:
        by_label.setdefault(label, Counter()).update(content_words(text))
    everywhere: Counter[str] = Counter()
    for used in by_label.values():
        everywhere.update(used)
    return {label: _most_typical(used, everywhere, count) for label, used in sorted(by_label.items())}


def _most_typical(used: Counter[str], everywhere: Counter[str], count: int) -> list[str]:
    inside, total = used.total(), everywhere.total()
    scores = {word: typicality(uses, inside, everywhere[word], total) for word, uses in used.items() if uses >= RAREST}
    best = sorted(scores, key=lambda word: (-scores[word], word))
    return [word for word in best[:count] if scores[word] > 0]


def typicality(uses: int, inside: int, uses_everywhere: int, total: int) -> float:
    """Return the z-score of a word's log-odds with one label against all the others.

    The word was used `uses` times among the `inside` words of the label, and `uses_everywhere` times among all `total`.
    """
    prior = PRIOR * uses_everywhere / total
    here = uses + prior
    elsewhere = uses_everywhere - uses + prior
    odds_here = here / (inside + PRIOR - here)
    odds_elsewhere = elsewhere / (total - inside + PRIOR - elsewhere)
    return (math.log(odds_here) - math.log(odds_elsewhere)) / math.sqrt(1 / here + 1 / elsewhere)
