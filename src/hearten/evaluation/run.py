"""Evaluating a system, or replies that were made elsewhere: predictions first, then every metric that fits."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hearten import registry
from hearten.dialogue import Dialogue, Example
from hearten.errors import UserError
from hearten.evaluation.gather import SHUFFLES, gather
from hearten.evaluation.metric import Metric
from hearten.evaluation.partial import Partial
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Measurement, Score, conversations, scores

FIELD_OF = {
    "replies": "reply",
    "ranks": "hits",
    "scores likelihood": "log_likelihood",
    "reads emotion": "emotion",
    "labels utterances": "label",
    "plans intent": "intent",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was said, what it is worth, and which metrics were measured or did not apply and why."""

    predictions: list[Prediction]
    scores: list[Score]
    measured: list[str]
    skipped: dict[str, str]


def evaluate(
    system: Any,
    examples: Sequence[Example],
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    dialogues: Sequence[Dialogue] = (),
    partial: Partial | None = None,
    shuffles: int = SHUFFLES,
    corpus_order: bool = True,
) -> Evaluation:
    """Evaluate a system. With `dialogues` given, emotions are read from whole dialogues too."""
    if not examples:
        raise UserError("there is nothing to evaluate on: the split has no listener replies")
    needs = {load(name).needs for name in metrics or registry.names("metric")}
    predictions = gather(system, examples, needs, seed, dialogues, partial, shuffles, corpus_order)
    return judge(predictions, examples, metrics, seed)


def judge(
    predictions: Sequence[Prediction], gold: Sequence[Example], metrics: Sequence[str] | None = None, seed: int = 0
) -> Evaluation:
    """Score predictions that are at hand; a metric asked for by name fails rather than be skipped for want of parts."""
    evaluation = Evaluation(list(predictions), [], [], {})
    groups = conversations(gold)
    for name in metrics or registry.names("metric"):
        found = _measure(name, predictions, gold, by_name=metrics is not None)
        if isinstance(found, str):
            evaluation.skipped[name] = found
            print(f"{name} is skipped: {found}", file=sys.stderr)
        else:
            evaluation.measured.append(name)
            evaluation.scores.extend(score for measurement in found for score in scores(measurement, groups, seed))
    return evaluation


def _measure(
    name: str, predictions: Sequence[Prediction], gold: Sequence[Example], by_name: bool
) -> list[Measurement] | str:
    """Return the measurements of a metric, or the reason why there are none."""
    metric = load(name)
    reason = _lacking(metric, predictions) or (None if by_name else metric.unready())
    try:
        return reason or metric.measure(predictions, gold)
    except UserError as error:
        if by_name:
            raise UserError(f"{name} cannot be measured: {error}") from None
        return str(error)


def load(name: str) -> Metric:
    """Return the metric of this name."""
    metric: Metric = registry.load("metric", name)
    return metric


def _lacking(metric: Metric, predictions: Sequence[Prediction]) -> str | None:
    field = FIELD_OF[metric.needs]
    if all(getattr(prediction, field) is not None for prediction in predictions):
        return None
    return f"it needs a system that {metric.needs}"
