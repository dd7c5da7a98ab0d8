"""Distinct-1 and Distinct-2 (Li et al. 2016): different n-grams among all n-grams of all replies, in percent.

Counted over the whole test set, as MoEL and its successors do on their lower-cased words and punctuation marks. The
value falls as the number of tokens grows, so that number stands beside it.
"""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.evaluation.metric import Metric, NotMeasurable, replies, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement, Whole
from hearten.evaluation.words import Ngram, ngrams, words_and_marks
from hearten.system import Array

ORDERS = (1, 2)


class Distinct(Metric):
    """Variety of wording."""

    title = "Distinct-1/2: variety of wording over all replies"
    needs = "replies"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        texts = replies(predictions)
        tokens = [words_and_marks(text) for text in texts]
        if not any(tokens):
            raise NotMeasurable("every reply is empty")
        sizes = np.array([[len(words), len(text.split())] for words, text in zip(tokens, texts, strict=True)], float)
        totals = (
            Measure("tokens in replies", sign("tokens", tok="words-and-marks"), "neither"),
            Measure("words in replies", sign("words", tok="whitespace"), "neither"),
        )
        return [_variety(tokens), Additive(totals, len(texts), sizes, lambda sums: sums)]


def _variety(tokens: Sequence[list[str]]) -> Whole:
    parts = {"over": "test-set", "tok": "words-and-marks", "case": "lower"}
    measures = tuple(Measure(f"distinct-{n}", sign(f"distinct:{n}", **parts), "higher") for n in ORDERS)
    numbered = [_numbered([ngrams(words, order) for words in tokens]) for order in ORDERS]

    def compute(mask: Array) -> Array:
        return 100 * np.array([_share(numbers, owners, mask) for numbers, owners in numbered])

    return Whole(measures, len(tokens), compute)


def _numbered(grams: Sequence[list[Ngram]]) -> tuple[Array, Array]:
    """Give each different n-gram a number; return the numbers in order and the example each belongs to."""
    index: dict[Ngram, int] = {}
    numbers = [index.setdefault(gram, len(index)) for row in grams for gram in row]
    return np.array(numbers, dtype=int), np.repeat(np.arange(len(grams)), [len(row) for row in grams])


def _share(numbers: Array, owners: Array, mask: Array) -> float:
    kept = numbers[mask[owners]]
    return float(np.count_nonzero(np.bincount(kept)) / len(kept)) if len(kept) else 0.0


PLUGIN = Distinct()
