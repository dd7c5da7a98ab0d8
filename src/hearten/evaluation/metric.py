"""The contract of a metric, and what several metrics share.

A metric is one file in `metrics/` that ends with `PLUGIN = TheMetric()`. It states what it needs of a system (names of
capabilities in `system.CAPABILITIES`) and turns predictions and gold examples into measurements.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from hearten.artifacts.folder import package_version
from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement
from hearten.system import Array


class NotMeasurable(UserError):
    """A metric has nothing to measure here; the text says why."""


class Metric(ABC):
    """Something that can be measured about a system."""

    title: ClassVar[str]
    needs: ClassVar[str]
    """The capability that provides what is measured."""

    @abstractmethod
    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        """Measure. Every prediction has what the metric needs; gold examples come in the same order."""

    def unready(self) -> str | None:
        """Say what is missing on this machine, if anything; then the metric runs only when it is asked for by name."""
        return None


def sign(metric: str, **parts: object) -> str:
    """Build a signature such as `bleu:avg|n:1-4|tok:spaced|v:hearten-0.1`."""
    version = ".".join(package_version().split(".")[:2])
    named = "".join(f"|{name}:{value}" for name, value in parts.items())
    return f"{metric}{named}|v:hearten-{version}"


def replies(predictions: Sequence[Prediction]) -> list[str]:
    """Return the reply texts."""
    return [prediction.reply or "" for prediction in predictions]


def ratio(over: Array, under: Array) -> Array:
    """Divide, and call 0/0 zero."""
    return np.divide(over, under, out=np.zeros(np.broadcast_shapes(over.shape, under.shape)), where=under > 0)


def average(measure: Measure, values: Array, scale: float = 1.0) -> Additive:
    """Measure the mean of one value per example, times `scale`."""
    statistics = np.stack([values, np.ones(len(values))], axis=1)
    return Additive((measure,), len(values), statistics, lambda sums: scale * sums[..., :1] / sums[..., 1:])
