"""Genericness: how much a system lives on stock replies.

The share of all replies that are among the system's own 20 most frequent ones, and the share of different replies, both
in lower case. People reach about 1% and 99%.
"""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.evaluation.metric import Metric, replies, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Measure, Measurement, Whole
from hearten.system import Array

TOP = 20


class Genericness(Metric):
    """Stock replies."""

    title = "Genericness: stock replies and different replies"
    needs = "replies"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        index: dict[str, int] = {}
        numbers = np.array([index.setdefault(text.strip().lower(), len(index)) for text in replies(predictions)])
        measures = (
            Measure(f"top-{TOP} share", sign("generic:top", top=TOP, case="lower"), "lower"),
            Measure("different replies", sign("generic:different", case="lower"), "higher"),
        )
        return [Whole(measures, len(numbers), lambda mask: _shares(numbers[mask]))]


def _shares(numbers: Array) -> Array:
    times = np.sort(np.bincount(numbers))[::-1]
    return 100 * np.array([times[:TOP].sum(), np.count_nonzero(times)]) / len(numbers)


PLUGIN = Genericness()
