"""BLEU in the three ways that papers on EmpatheticDialogues print it. Never compare one with another.

* fairseq 0.6.2's `Scorer`, as `retrieval_eval_bleu.py` of EmpatheticDialogues calls it: BLEU-1 to 4 and their mean;
* sacreBLEU with its own defaults and signature;
* ParlAI's `BleuMetric`: the mean of NLTK's smoothed sentence BLEU-4 on normalised text.

Difference from the first: fairseq also refuses to match words outside the model's vocabulary; replies are text here, so
every word counts. In the last one a reply of fewer than four words scores next to nothing even where it is right: the
gold replies themselves reach about 96.
"""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.errors import MissingExtra
from hearten.evaluation.metric import Metric, average, ratio, replies, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement
from hearten.evaluation.words import bare, matches, spaced
from hearten.system import Array

ORDERS = (1, 2, 3, 4)


class Bleu(Metric):
    """n-gram overlap with the gold reply."""

    title = "BLEU: n-gram overlap with the gold reply"
    needs = "replies"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        texts, truths = replies(predictions), [example.reply.text for example in gold]
        return [fairseq(texts, truths), sacre(texts, truths), parlai(texts, truths)]


def fairseq(texts: Sequence[str], truths: Sequence[str]) -> Additive:
    """Measure corpus BLEU with clipped counts and brevity penalty, without smoothing."""
    parts = {"tok": "spaced", "case": "mixed", "smooth": "none", "bp": "yes", "ref": 1}
    orders = [Measure(f"BLEU-{n}", sign(f"bleu:{n}", n=f"1-{n}", **parts), "higher") for n in ORDERS]
    mean = Measure("AVG BLEU", sign("bleu:avg", n="1-4", **parts), "higher")
    statistics = np.array([_counts(spaced(t), spaced(g)) for t, g in zip(texts, truths, strict=True)], dtype=float)
    return Additive((*orders, mean), len(texts), statistics, _with_average)


def _counts(reply: Sequence[str], gold: Sequence[str]) -> list[int]:
    matched = [matches(reply, gold, n) for n in ORDERS]
    possible = [max(0, len(reply) - n + 1) for n in ORDERS]
    return [len(reply), len(gold), *matched, *possible]


def _with_average(sums: Array) -> Array:
    by_order = corpus_bleu(sums, ratio(sums[..., 2:6], sums[..., 6:]))
    return np.concatenate([by_order, by_order.mean(axis=-1, keepdims=True)], axis=-1)


def corpus_bleu(sums: Array, precision: Array) -> Array:
    """Return BLEU-1 to 4 from summed lengths and n-gram precisions, in percent."""
    with np.errstate(divide="ignore"):
        brevity = np.minimum(1.0, np.exp(1 - np.divide(sums[..., 1], np.maximum(sums[..., 0], 1e-9))))
        logs = np.cumsum(np.log(precision), axis=-1) / np.arange(1, 5)
    return np.asarray(100 * brevity[..., None] * np.exp(logs))


def sacre(texts: Sequence[str], truths: Sequence[str]) -> Additive:
    """Measure sacreBLEU: its tokeniser (13a) and its exponential smoothing, from its own counts."""
    try:
        from sacrebleu.metrics import BLEU
    except ImportError:
        raise MissingExtra("sacreBLEU") from None
    scorer = BLEU(effective_order=True)
    rows = []
    for text, truth in zip(texts, truths, strict=True):
        score = scorer.sentence_score(text, [truth])
        rows.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    official = BLEU()
    official.corpus_score(list(texts[:1]), [list(truths[:1])])
    measure = Measure("sacreBLEU", f"sacrebleu|{official.get_signature()}", "higher")
    return Additive((measure,), len(texts), np.array(rows, dtype=float), _sacre_value)


def _sacre_value(sums: Array) -> Array:
    matched, possible = sums[..., 2:6], sums[..., 6:]
    halvings = np.cumsum(matched == 0, axis=-1)  # smooth:exp halves once more at each order without a match
    smoothed = np.where(matched == 0, 0.5**halvings, matched)
    value = corpus_bleu(sums, ratio(smoothed, possible))[..., 3:]
    return np.where(matched.sum(axis=-1, keepdims=True) == 0, 0.0, value)


def parlai(texts: Sequence[str], truths: Sequence[str]) -> Additive:
    """Measure ParlAI's BLEU-4: smoothing method 1 with epsilon 1e-12, averaged over replies."""
    try:
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    except ImportError:
        raise MissingExtra("ParlAI's BLEU") from None
    smooth = SmoothingFunction(epsilon=1e-12).method1
    pairs = [(bare(text), bare(truth)) for text, truth in zip(texts, truths, strict=True)]
    each = np.array([sentence_bleu([truth], text, smoothing_function=smooth) for text, truth in pairs], dtype=float)
    signature = sign("bleu:parlai", n="1-4", tok="bare", case="lower", smooth="method1-1e-12", level="reply", ref=1)
    return average(Measure("ParlAI BLEU", signature, "higher"), each, scale=100)


PLUGIN = Bleu()
