"""Whether probabilities mean what they say: a temperature, the gap that is left, and when to call a reading unsure.

Guo et al., ICML 2017, https://arxiv.org/abs/1706.04599.
"""

import numpy as np

from hearten.system import Array, normalised

COLDEST, HOTTEST = 0.05, 20.0
ROUNDS = 30


def temperature(logits: Array, targets: Array) -> float:
    """Return the number to divide logits by so that the targets become likeliest, by golden-section search."""
    low, high = np.log(COLDEST), np.log(HOTTEST)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(ROUNDS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if nats(logits / np.exp(left), targets) < nats(logits / np.exp(right), targets):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2))


def mixture(logits: Array, others: Array, targets: Array) -> float:
    """Return how much others' logits should weigh beside these for the targets to be likeliest, by tenths up to 1."""

    def lost(weight: float) -> float:
        mixed = logits + weight * others
        return nats(mixed / temperature(mixed, targets), targets)

    return min((number / 10 for number in range(11)), key=lost)


def nats(logits: Array, targets: Array) -> float:
    """Return the mean negative log probability of the targets."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    likely = shifted[np.arange(len(targets)), targets] - np.log(np.exp(shifted).sum(axis=1))
    return float(-likely.mean())


def expected_error(confidences: Array, is_right: Array, bins: int = 15) -> float:
    """Return the expected calibration error: how far confidence and accuracy lie apart, over bins of equal width."""
    places = np.clip((confidences * bins).astype(int), 0, bins - 1)
    gaps = np.bincount(places, weights=is_right.astype(float) - confidences, minlength=bins)
    return float(np.abs(gaps).sum() / max(1, len(confidences)))


def unsure_below(confidences: Array, is_right: Array, share: float = 1 / 3) -> float:
    """Return the largest confidence below which no more than such a share of the readings is right; 0 if none."""
    order = np.argsort(confidences)
    right_so_far = np.cumsum(is_right[order]) / np.arange(1, len(order) + 1)
    below = np.flatnonzero(right_so_far <= share)
    return float(confidences[order[below[-1]]]) if len(below) else 0.0


def describe(logits: Array, targets: Array, heat: float, threshold: float) -> dict[str, float]:
    """Return the scores of one head, before and after its temperature, and of the readings that are called unsure."""
    before, after = normalised(logits), normalised(logits / heat)
    is_right = logits.argmax(axis=1) == targets
    is_sure = after.max(axis=1) >= threshold
    return {
        "texts": len(targets),
        "accuracy": float(is_right.mean()),
        "nats": nats(logits / heat, targets),
        "calibration_error_before": expected_error(before.max(axis=1), is_right),
        "calibration_error": expected_error(after.max(axis=1), is_right),
        "sure": float(is_sure.mean()),
        "accuracy_when_sure": float(is_right[is_sure].mean()) if is_sure.any() else 0.0,
        "accuracy_when_unsure": float(is_right[~is_sure].mean()) if not is_sure.all() else 0.0,
    }
