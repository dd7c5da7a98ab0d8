"""Perplexity of the gold replies, in the three ways of the literature and in two that tokenisers do not change.

1. exp of the mean over all tokens, end token included (ParlAI, CAiRE and its successors): the headline;
2. exp of the mean of per-reply means (MoEL and its successors);
3. mean of per-reply perplexities (DCKS).
"""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.evaluation.metric import Metric, NotMeasurable, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement
from hearten.system import Array

MEASURES = (
    ("perplexity", "ppl:tokens", {"mean": "over-tokens", "end": "counted"}),
    ("perplexity (reply means)", "ppl:replies", {"mean": "over-reply-means", "end": "counted"}),
    ("perplexity (mean of replies)", "ppl:mean", {"mean": "of-reply-perplexities", "end": "counted"}),
    ("perplexity per word", "ppl:words", {"words": "whitespace"}),
    ("bits per character", "bpc", {"chars": "unicode"}),
)


class Perplexity(Metric):
    """How surprised the model is by what people answered."""

    title = "Perplexity of the gold replies"
    needs = "scores likelihood"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        if not all(prediction.tokens for prediction in predictions):
            raise NotMeasurable("a log likelihood comes without its token count")
        measures = tuple(Measure(name, sign(start, **parts), "lower") for name, start, parts in MEASURES)
        nats = np.array([-(p.log_likelihood or 0.0) for p in predictions])
        tokens = np.array([p.tokens or 0 for p in predictions], dtype=float)
        words = np.array([len(example.reply.text.split()) for example in gold], dtype=float)
        characters = np.array([len(example.reply.text) for example in gold], dtype=float)
        means = nats / tokens
        columns = [nats, tokens, means, np.exp(means), words, characters, np.ones(len(gold))]
        return [Additive(measures, len(gold), np.stack(columns, axis=1), _aggregate)]


def _aggregate(sums: Array) -> Array:
    nats, tokens, means, perplexities, words, characters, count = np.moveaxis(sums, -1, 0)
    return np.stack(
        [
            np.exp(nats / tokens),
            np.exp(means / count),
            perplexities / count,
            np.exp(nats / words),
            nats / np.log(2) / characters,
        ],
        axis=-1,
    )


PLUGIN = Perplexity()
