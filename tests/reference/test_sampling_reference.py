"""Intervals and tests against closed formulas, known coverage and an independent implementation."""

import math

import numpy as np
import pytest

from hearten.dialogue import Example, Turn
from hearten.evaluation.metric import average
from hearten.evaluation.sampling import Measure, Whole, by_group, conversations, draws, jackknife_error
from hearten.evaluation.significance import paired
from hearten.system import Array

MEASURE = Measure("mean", "mean|toy", "higher")


def test_the_jackknife_of_a_mean_is_the_textbook_standard_error() -> None:
    # Leaving out one of n gives exactly s / sqrt(n) (Efron and Tibshirani 1993, section 11.2).
    sample = np.random.default_rng(0).normal(size=200)
    without = np.array([np.delete(sample, n).mean() for n in range(200)])
    assert jackknife_error(without[:, None])[0] == pytest.approx(sample.std(ddof=1) / math.sqrt(200))


def share(sample: Array) -> Whole:
    return Whole((MEASURE,), len(sample), lambda mask: 100 * sample[mask].mean(keepdims=True))


def test_blocks_give_about_the_same_standard_error() -> None:
    sample = (np.random.default_rng(1).random(5000) < 0.3).astype(float)
    low, high = share(sample).intervals(np.arange(5000), seed=0)
    expected = 2 * 1.96 * 100 * sample.std(ddof=1) / math.sqrt(5000)
    assert (high - low)[0] == pytest.approx(expected, rel=0.25)  # 50 blocks: a spread of about 10%


def test_an_interval_of_a_share_stays_between_0_and_100() -> None:
    sample = np.array([1.0] * 99 + [0.0])
    assert share(sample).intervals(np.arange(100), seed=0)[1] == 100


def test_bootstrap_intervals_cover_the_truth_about_95_times_in_100() -> None:
    random = np.random.default_rng(2)
    covered = 0
    for _ in range(200):
        low, high = average(MEASURE, random.exponential(size=80)).intervals(np.arange(80), seed=0)
        covered += bool(low[0] <= 1.0 <= high[0])
    assert 178 <= covered <= 198  # binomial(200, about .93): the percentile interval is a little short on skewed data


def test_bootstrap_width_is_that_of_the_normal_approximation() -> None:
    sample = np.random.default_rng(3).normal(size=2000)
    low, high = average(MEASURE, sample).intervals(np.arange(2000), seed=0)
    assert (high - low)[0] == pytest.approx(2 * 1.96 * sample.std() / math.sqrt(2000), rel=0.1)


def test_turns_of_one_conversation_are_drawn_together() -> None:
    # Each value four times over: the interval must be that of the 500 conversations, twice as wide as for 2,000 turns.
    sample = np.repeat(np.random.default_rng(4).normal(size=500), 4)
    narrow = np.diff(average(MEASURE, sample).intervals(np.arange(2000), seed=0)[:, 0])[0]
    honest = np.diff(average(MEASURE, sample).intervals(np.arange(2000) // 4, seed=0)[:, 0])[0]
    assert honest == pytest.approx(2 * narrow, rel=0.15)


def test_blocks_never_cut_a_conversation() -> None:
    # 100 conversations of 20 equal turns: the spread is that of 100 draws, not of 2,000.
    sample = np.repeat((np.random.default_rng(9).random(100) < 0.5).astype(float), 20)
    low, high = share(sample).intervals(np.arange(2000) // 20, seed=0)
    expected = 2 * 1.96 * 100 * sample.std() / math.sqrt(100)
    assert (high - low)[0] == pytest.approx(expected, rel=0.3)


def test_conversations_are_numbered_by_the_ids_of_their_examples() -> None:
    ids = ["hit:1_conv:2#2", "hit:1_conv:2#4", "hit:9_conv:9#2", "alone"]
    examples = [Example(i, (), Turn("listener", "")) for i in ids]
    assert conversations(examples).tolist() == [0, 0, 1, 2]
    assert by_group(np.ones((4, 1)), conversations(examples)).ravel().tolist() == [2, 1, 1]


def test_resamples_are_as_large_as_the_sample() -> None:
    assert (draws(37, 0).sum(axis=1) == 37).all()
    assert not np.array_equal(draws(37, 0), draws(37, 1))


def test_randomisation_agrees_with_the_exact_sign_flip_test() -> None:
    # All 2^10 ways to swap ten pairs, counted one by one.
    gaps = np.array([1.1, 0.4, -0.3, 0.9, 0.2, 0.7, -0.1, 0.6, 1.3, -0.5])
    signs = np.array([[1 if (k >> bit) & 1 else -1 for bit in range(10)] for k in range(1024)])
    exact = (np.abs((signs * gaps).mean(axis=1)) >= abs(gaps.mean()) - 1e-12).mean()
    base = np.random.default_rng(5).normal(size=10)
    (found,) = paired(average(MEASURE, base), average(MEASURE, base + gaps), np.arange(10))
    assert found.p == pytest.approx(exact, abs=0.01)
    assert found.value == pytest.approx(gaps.mean())


def test_pairing_finds_what_separate_intervals_cannot() -> None:
    random = np.random.default_rng(6)
    base = random.normal(size=400) * 10
    better = base + random.normal(0.3, 0.5, size=400)
    first, second = average(MEASURE, base), average(MEASURE, better)
    assert first.intervals(np.arange(400), 0)[1, 0] > second.values()[0]
    (found,) = paired(first, second, np.arange(400))
    assert found.p < 0.001 and 0 < found.low < 0.3 < found.high


def test_no_difference_is_rarely_called_one() -> None:
    random = np.random.default_rng(7)
    alarms = 0
    for _ in range(60):
        first, second = random.normal(size=(2, 60))
        (found,) = paired(average(MEASURE, first), average(MEASURE, second), np.arange(60))
        alarms += found.p < 0.05
    assert alarms <= 8  # 3 expected


def test_shares_of_the_whole_are_compared_by_jackknife() -> None:
    random = np.random.default_rng(8)
    first, second = (random.random((2, 2000)) < [[0.3], [0.5]]).astype(float)
    (found,) = paired(share(first), share(second), np.arange(2000))
    assert found.p < 0.001 and found.low < found.value < found.high
    (same,) = paired(share(first), share(first), np.arange(2000))
    assert (same.value, same.p) == (0, 1)
