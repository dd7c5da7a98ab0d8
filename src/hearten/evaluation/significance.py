"""Is one system better than another on the same examples, or was it luck?

For measures of sums: the interval of the difference is a paired bootstrap over conversations, the p-value an
approximate randomisation test (swap the two systems' outputs conversation by conversation; Noreen 1989). For measures
of the whole set: the jackknife of the difference, and a normal approximation.
"""

import math
from dataclasses import dataclass

import numpy as np

from hearten.evaluation.sampling import NORMAL_95, Additive, Measurement, Whole, by_group, ends, jackknife_error
from hearten.system import Array

ROUNDS = 10
SWAPS = 1000


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a system is from the baseline on one measure; `p` is two-sided."""

    metric: str
    signature: str
    value: float
    low: float
    high: float
    p: float


def paired(baseline: Measurement, other: Measurement, groups: Array, seed: int = 0) -> list[Difference]:
    """Compare two measurements of the same examples, measure by measure."""
    if isinstance(baseline, Additive) and isinstance(other, Additive):
        low, high = bootstrap(baseline, other, groups, seed)
        p = randomisation(baseline, other, groups, seed)
    elif isinstance(baseline, Whole) and isinstance(other, Whole):
        low, high, p = jackknife(baseline, other, groups)
    else:
        raise ValueError("the two measurements are not of the same kind")
    gaps = other.values() - baseline.values()
    return [
        Difference(m.name, m.signature, *(float(number) for number in numbers))
        for m, *numbers in zip(baseline.measures, gaps, low, high, p, strict=True)
    ]


def bootstrap(baseline: Additive, other: Additive, groups: Array, seed: int) -> Array:
    """Return the 95% interval of each difference under joint resampling. Shape (2, measures)."""
    return ends(other.resampled(groups, seed) - baseline.resampled(groups, seed))


def randomisation(baseline: Additive, other: Additive, groups: Array, seed: int) -> Array:
    """Return how often random swapping makes a difference at least as large as the one seen. Shape (measures,)."""
    random = np.random.default_rng(seed)
    first, second = by_group(baseline.statistics, groups), by_group(other.statistics, groups)
    seen = np.abs(other.values() - baseline.values())
    as_large = np.zeros(len(seen))
    for _ in range(ROUNDS):
        moved = random.integers(2, size=(SWAPS, len(first))).astype(float) @ (second - first)
        gaps = other.aggregate(second.sum(axis=0) - moved) - baseline.aggregate(first.sum(axis=0) + moved)
        as_large += (np.abs(gaps) >= seen - 1e-9).sum(axis=0)
    return (as_large + 1) / (ROUNDS * SWAPS + 1)


def jackknife(baseline: Whole, other: Whole, groups: Array) -> tuple[Array, Array, Array]:
    """Return low, high and p of each difference."""
    gaps = other.values() - baseline.values()
    error = jackknife_error(other.leave_out(groups) - baseline.leave_out(groups))
    p = [_two_sided(float(gap), float(spread)) for gap, spread in zip(gaps, error, strict=True)]
    return gaps - NORMAL_95 * error, gaps + NORMAL_95 * error, np.array(p)


def _two_sided(gap: float, error: float) -> float:
    if error == 0:
        return 1.0 if gap == 0 else 0.0
    return math.erfc(abs(gap) / error / math.sqrt(2))
