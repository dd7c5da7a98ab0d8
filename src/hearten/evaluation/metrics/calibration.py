"""Calibration of the emotion reading: how far its confidence and its accuracy lie apart (expected calibration error).

Guo et al., ICML 2017: readings fall into 15 bins of equal width by the probability of their top emotion.
"""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.evaluation.metric import Metric, NotMeasurable, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement
from hearten.system import Array
from hearten.taxonomy import EMOTIONS

BINS = 15


class Calibration(Metric):
    """Expected calibration error, in percent."""

    title = "Calibration of the emotion reading"
    needs = "reads emotion"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        pairs = zip(predictions, gold, strict=True)
        statistics = np.stack([_statistics(prediction, example) for prediction, example in pairs])
        count = int(statistics[:, -1].sum())
        if not count:
            raise NotMeasurable("no example has both an emotion label and a probability for the emotion read")
        name = sign("ece:emotion", bins=f"{BINS}-equal-width", confidence="top", input="context-so-far")
        measure = Measure("emotion calibration error", name, "lower")
        return [Additive((measure,), count, statistics, _error)]


def _statistics(prediction: Prediction, example: Example) -> Array:
    """Return how much more often right than expected, in the bin of the confidence, and whether it counts."""
    row = np.zeros(BINS + 1)
    confidence = prediction.emotion_probability
    if example.emotion in EMOTIONS and confidence is not None:
        row[min(int(confidence * BINS), BINS - 1)] = float(prediction.emotion == example.emotion) - confidence
        row[-1] = 1
    return row


def _error(sums: Array) -> Array:
    return np.asarray(100 * np.abs(sums[..., :-1]).sum(axis=-1, keepdims=True) / sums[..., -1:])


PLUGIN = Calibration()
