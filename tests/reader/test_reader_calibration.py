"""Temperatures, calibration error and the threshold of doubt, against what they must be by construction."""

import numpy as np
import pytest

from hearten.reader import calibration
from hearten.system import normalised


def test_the_temperature_that_made_the_targets_is_found() -> None:
    random = np.random.default_rng(0)
    logits = random.normal(size=(20_000, 5)) * 2
    cumulative = normalised(logits / 2.5).cumsum(axis=1)
    targets = (random.random((len(logits), 1)) > cumulative).sum(axis=1)
    heat = calibration.temperature(logits, targets)
    assert heat == pytest.approx(2.5, rel=0.05)
    told = calibration.describe(logits, targets, heat, threshold=0.0)
    assert told["calibration_error"] < 0.02 < told["calibration_error_before"]


def test_others_weigh_as_much_as_they_know() -> None:
    random = np.random.default_rng(0)
    targets = random.integers(0, 3, size=600)
    right = np.eye(3)[targets]
    logits, noise = right + random.normal(size=(2, 600, 3))
    noise -= right
    assert calibration.mixture(logits, noise, targets) <= 0.1
    assert calibration.mixture(logits, right, targets) >= 0.9


def test_nats_are_the_mean_negative_log_probability() -> None:
    logits = np.log(np.array([[0.5, 0.5], [0.9, 0.1]]))
    assert calibration.nats(logits, np.array([0, 1])) == pytest.approx(-(np.log(0.5) + np.log(0.1)) / 2)


def test_calibration_error_by_hand() -> None:
    confidences = np.array([0.95, 0.95, 0.15, 0.15])
    is_right = np.array([True, False, False, False])
    assert calibration.expected_error(confidences, is_right, bins=10) == pytest.approx((abs(1 - 1.9) + 0.3) / 4)


def test_full_confidence_falls_into_the_last_bin() -> None:
    assert calibration.expected_error(np.array([1.0]), np.array([True])) == 0


def test_the_threshold_is_the_largest_below_which_few_are_right() -> None:
    confidences = np.array([0.9, 0.1, 0.2, 0.3, 0.8])
    is_right = np.array([True, False, False, True, True])
    assert calibration.unsure_below(confidences, is_right, share=1 / 3) == 0.3
    assert calibration.unsure_below(np.array([0.4, 0.5]), np.array([True, True])) == 0


def test_sure_and_unsure_readings_are_told_apart() -> None:
    logits = np.log(np.array([[0.9, 0.1], [0.6, 0.4], [0.55, 0.45]]))
    told = calibration.describe(logits, np.array([0, 1, 0]), heat=1.0, threshold=0.7)
    assert told["sure"] == pytest.approx(1 / 3)
    assert (told["accuracy_when_sure"], told["accuracy_when_unsure"]) == (1.0, 0.5)
    assert told["accuracy"] == pytest.approx(2 / 3)
