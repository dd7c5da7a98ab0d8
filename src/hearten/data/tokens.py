"""Words and n-grams of plain text, for everything that counts words rather than reads them."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words(text: str) -> list[str]:
    """Return the lower-cased words; apostrophes inside a word stay, other marks go."""
    return _WORD.findall(text.lower().replace("\u2019", "'"))


def ngrams(tokens: list[str], longest: int) -> Iterator[str]:
    """Yield all n-grams up to a length, joined by a space."""
    for n in range(1, longest + 1):
        for start in range(len(tokens) - n + 1):
            yield " ".join(tokens[start : start + n])
