"""From per-example statistics to a value and its interval.

Turns of one conversation resemble each other, so conversations, not turns, are what is drawn. An `Additive` measurement
is a function of summed statistics: 1,000 bootstrap resamples are one matrix product. A `Whole` measurement has to look
at all replies at once (Distinct, say); its spread comes from leaving out one block of conversations at a time.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from hearten.dialogue import Example
from hearten.system import Array

RESAMPLES = 1000
BLOCKS = 50
NORMAL_95 = 1.959964
Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that a metric prints. Scores may be compared only where the signatures are the same."""

    name: str
    signature: str
    better: Better


@dataclass(frozen=True, slots=True)
class Score:
    """A measured number with its 95% interval; `n` counts the items it is an average over."""

    metric: str
    value: float
    low: float
    high: float
    n: int
    signature: str
    better: Better


@dataclass(frozen=True)
class Measurement(ABC):
    """The statistics behind one or more measures, before anything is summed."""

    measures: tuple[Measure, ...]
    n: int

    @abstractmethod
    def values(self) -> Array:
        """Return the value of each measure. Shape (measures,)."""

    @abstractmethod
    def intervals(self, groups: Array, seed: int) -> Array:
        """Return the lower and upper end for each measure. Shape (2, measures)."""


@dataclass(frozen=True)
class Additive(Measurement):
    """Measures that are a function of sums: `aggregate` maps sums (..., k) to values (..., measures)."""

    statistics: Array
    aggregate: Callable[[Array], Array]

    def values(self) -> Array:
        return self.aggregate(self.statistics.sum(axis=0))

    def intervals(self, groups: Array, seed: int) -> Array:
        return ends(self.resampled(groups, seed))

    def resampled(self, groups: Array, seed: int) -> Array:
        """Return the values of every bootstrap resample. Shape (resamples, measures)."""
        sums = by_group(self.statistics, groups)
        return self.aggregate(draws(len(sums), seed) @ sums)


@dataclass(frozen=True)
class Whole(Measurement):
    """Shares, in percent, that need all replies at once: `compute` maps a mask of examples to values (measures,)."""

    compute: Callable[[Array], Array]

    def values(self) -> Array:
        return self.compute(np.ones(self.n, dtype=bool))

    def intervals(self, groups: Array, seed: int) -> Array:
        value, spread = self.values(), jackknife_error(self.leave_out(groups))
        return np.clip([value - NORMAL_95 * spread, value + NORMAL_95 * spread], 0, 100)

    def leave_out(self, groups: Array) -> Array:
        """Return the values without each block of conversations. Shape (blocks, measures)."""
        blocks = groups % min(BLOCKS, int(groups.max()) + 1)
        return np.stack([self.compute(blocks != block) for block in range(int(blocks.max()) + 1)])


def jackknife_error(values: Array) -> Array:
    """Return the delete-a-group jackknife's standard error from the values without each group (axis 0)."""
    blocks = len(values)
    return np.asarray(np.sqrt((blocks - 1) / blocks * ((values - values.mean(axis=0)) ** 2).sum(axis=0)))


def ends(resampled: Array) -> Array:
    """Return the ends of the central 95% of resampled values. Shape (2, measures)."""
    return np.asarray(np.percentile(resampled, [2.5, 97.5], axis=0))


def conversations(examples: Sequence[Example]) -> Array:
    """Number the conversation of each example, in order of appearance."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(conversation(example.id), len(seen)) for example in examples])


def conversation(example_id: str) -> str:
    """Return the id of the dialogue that an example was cut from."""
    return example_id.rpartition("#")[0] or example_id


def by_group(statistics: Array, groups: Array) -> Array:
    """Sum statistics within each conversation. Shape (conversations, k)."""
    sums = np.zeros((int(groups.max()) + 1, statistics.shape[1]))
    np.add.at(sums, groups, statistics)
    return sums


@lru_cache(maxsize=1)
def draws(count: int, seed: int) -> Array:
    """Draw bootstrap resamples: how often each of `count` items occurs in each. Shape (resamples, count)."""
    random = np.random.default_rng(seed)
    rows = [np.bincount(random.integers(count, size=count), minlength=count) for _ in range(RESAMPLES)]
    return np.array(rows, dtype=float)


def scores(measurement: Measurement, groups: Array, seed: int) -> list[Score]:
    """Turn a measurement into scores with intervals."""
    low, high = measurement.intervals(groups, seed)
    return [
        Score(m.name, float(value), float(lowest), float(highest), measurement.n, m.signature, m.better)
        for m, value, lowest, highest in zip(measurement.measures, measurement.values(), low, high, strict=True)
    ]
