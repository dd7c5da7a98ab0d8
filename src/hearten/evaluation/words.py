"""How text becomes tokens before it is counted. Published scores differ by this alone, so each way has a name."""

import re
from collections import Counter
from collections.abc import Sequence

Ngram = tuple[str, ...]

_MARKS = re.compile(r"([.,;:!'?])")
_PUNCTUATION = re.compile(r"""[!"#$%&()*+,\-./:;<=>?@\[\]\\^`{|}~_']""")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WORD_OR_MARK = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")


def spaced(text: str) -> list[str]:
    """Split as the EmpatheticDialogues code does (`tokens.py::tokenize`): seven marks stand alone, case is kept."""
    return _MARKS.sub(r" \1 ", text).split()


def bare(text: str) -> list[str]:
    """Split as ParlAI does (`metrics.py::normalize_answer`): lower case, without punctuation and articles."""
    return _ARTICLES.sub(" ", _PUNCTUATION.sub(" ", text.lower())).split()


def words_and_marks(text: str) -> list[str]:
    """Split into lower-case words, which keep an inner apostrophe, and single punctuation marks."""
    return _WORD_OR_MARK.findall(text.lower())


def lowered(text: str) -> list[str]:
    """Split at white space, in lower case."""
    return text.lower().split()


def ngrams(tokens: Sequence[str], order: int) -> list[Ngram]:
    """List the n-grams of one order, repeats included."""
    return [tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1)]


def matches(reply: Sequence[str], gold: Sequence[str], order: int) -> int:
    """Count the n-grams of a reply that the gold reply has too, each at most as often as it occurs there."""
    return (Counter(ngrams(reply, order)) & Counter(ngrams(gold, order))).total()
