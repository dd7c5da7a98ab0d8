"""Accuracy, precision, recall and F1 from summed counts, as scikit-learn defines them (undefined ratios are 0)."""

from collections.abc import Sequence

import numpy as np

from hearten.evaluation.metric import ratio, sign
from hearten.evaluation.sampling import Additive, Measure
from hearten.system import Array

KINDS = (
    "accuracy",
    "weighted precision",
    "weighted recall",
    "weighted F1",
    "macro precision",
    "macro recall",
    "macro F1",
)


def classification(
    name: str, predicted: Sequence[str | None], gold: Sequence[str | None], labels: Sequence[str], **parts: object
) -> Additive:
    """Measure label predictions; pairs that lack either side are left out. `parts` go into the signature."""
    suffix = f" ({parts['input']})" if parts.get("input") == "whole-dialogue" else ""
    measures = tuple(
        Measure(
            f"{name} {kind}{suffix}",
            sign(f"{name}:{kind.replace(' ', '-')}", labels=len(labels), zero_division=0, **parts),
            "higher",
        )
        for kind in KINDS
    )
    statistics = counts(predicted, gold, labels)
    n = int(statistics[:, 2 * len(labels) :].sum())
    return Additive(measures, n, statistics, aggregate)


def counts(predicted: Sequence[str | None], gold: Sequence[str | None], labels: Sequence[str]) -> Array:
    """Count per example, for each label: right, predicted, gold. Shape (examples, 3 x labels)."""
    place = {label: position for position, label in enumerate(labels)}
    table = np.zeros((len(gold), 3, len(labels)))
    for row, (guess, truth) in enumerate(zip(predicted, gold, strict=True)):
        if guess is None or truth is None:
            continue
        table[row, 0, place[truth]] = guess == truth
        table[row, 1, place[guess]] = 1
        table[row, 2, place[truth]] = 1
    return table.reshape(len(gold), -1)


def aggregate(sums: Array) -> Array:
    """Turn summed counts into the seven kinds, in percent. Macro averages run over the labels that occur."""
    right, predicted, gold = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    each = np.stack([ratio(right, predicted), ratio(right, gold), ratio(2 * right, predicted + gold)])
    occurs = (predicted + gold) > 0
    total = gold.sum(axis=-1)
    weighted = ratio((each * gold).sum(axis=-1), total)
    macro = ratio((each * occurs).sum(axis=-1), occurs.sum(axis=-1).astype(float))
    accuracy = ratio(right.sum(axis=-1), total)
    return 100 * np.stack([accuracy, *weighted, *macro], axis=-1)
