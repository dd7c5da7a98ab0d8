"""What shows on the surface of a reply: its length, whether it repeats itself, how much it copies from the context."""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.evaluation.metric import Metric, average, ratio, replies, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement
from hearten.evaluation.words import lowered, ngrams

REPEATED = 3
COPIED = 4


class Surface(Metric):
    """Length in words, share of replies that repeat three words, share of four-word runs taken from the context."""

    title = "Reply length, repetition and copying"
    needs = "replies"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        words = [lowered(text) for text in replies(predictions)]
        length = Measure("reply length", sign("length", unit="words", tok="whitespace"), "neither")
        repetition = Measure("repetition", sign("repetition", n=REPEATED, level="reply", case="lower"), "lower")
        return [
            average(length, np.array([len(reply) for reply in words], dtype=float)),
            average(repetition, np.array([_repeats(reply) for reply in words], dtype=float), scale=100),
            _copying(words, gold),
        ]


def _repeats(words: Sequence[str]) -> bool:
    grams = ngrams(words, REPEATED)
    return len(set(grams)) < len(grams)


def _copying(words: Sequence[Sequence[str]], gold: Sequence[Example]) -> Additive:
    measure = Measure("copy rate", sign("copy", n=COPIED, of="context", tok="whitespace", case="lower"), "neither")
    rows = []
    for reply, example in zip(words, gold, strict=True):
        seen = {gram for turn in example.context for gram in ngrams(lowered(turn.text), COPIED)}
        grams = ngrams(reply, COPIED)
        rows.append([sum(gram in seen for gram in grams), len(grams)])
    return Additive(
        (measure,), len(rows), np.array(rows, dtype=float), lambda sums: 100 * ratio(sums[..., :1], sums[..., 1:])
    )


PLUGIN = Surface()
