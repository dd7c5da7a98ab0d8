"""What settings do to scores, by hand and against the processors of transformers."""

import math

import pytest
import torch
from transformers.generation.logits_process import (
    LogitsProcessor,
    MinPLogitsWarper,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from hearten.decoding import Decoding
from hearten.nn.decoding import processors as p

NO = -math.inf
SEEDS = range(40)


def logs(*probabilities: float) -> torch.Tensor:
    return torch.tensor([probabilities]).log()


def kept(scores: torch.Tensor) -> list[list[bool]]:
    return (scores > NO).tolist()


def test_the_penalty_divides_what_is_positive_and_multiplies_what_is_negative() -> None:
    scores = torch.tensor([[2.0, -3.0, 4.0], [2.0, -3.0, 4.0]])
    found = p.penalise_repetition(scores, [[0, 1, 1], [2]], 2.0)
    assert found.tolist() == [[1.0, -6.0, 4.0], [2.0, -3.0, 2.0]]


@pytest.mark.parametrize(
    ("size", "ids", "blocked"),
    [
        (2, [1, 2, 0, 1], [2]),
        (2, [1, 2, 1, 3, 1], [2, 3]),
        (3, [1, 2, 3, 1, 2], [3]),
        (3, [1, 2, 3, 3, 2], []),
        (3, [1], []),
        (1, [3, 0], [0, 3]),
        (2, [1, 1], [1]),
    ],
)
def test_a_token_that_would_repeat_an_ngram_is_blocked(size: int, ids: list[int], blocked: list[int]) -> None:
    found = p.block_ngrams(torch.zeros(2, 4), [[], ids], size)
    assert found[0].tolist() == [0, 0, 0, 0]
    assert [token for token in range(4) if found[1, token] == NO] == blocked


def test_forbidden_tokens_are_forbidden_in_all_rows() -> None:
    assert kept(p.forbid(torch.zeros(2, 3), [0, 2])) == [[False, True, False]] * 2
    assert kept(p.forbid(torch.zeros(1, 3), [])) == [[True, True, True]]


def test_a_token_costs_as_often_as_others_have_taken_it() -> None:
    found = p.discourage(torch.zeros(2, 3), [[1, 1, 2], []], 0.5)
    assert found.tolist() == [[0.0, -1.0, -0.5], [0.0, 0.0, 0.0]]


def test_top_k_keeps_the_best_and_their_equals() -> None:
    assert kept(p.keep_top_k(logs(0.1, 0.4, 0.3, 0.2), 2)) == [[False, True, True, False]]
    assert kept(p.keep_top_k(logs(0.4, 0.3, 0.3), 2)) == [[True, True, True]]
    assert kept(p.keep_top_k(logs(0.4, 0.6), 9)) == [[True, True]]


@pytest.mark.parametrize(
    ("mass", "expected"), [(0.3, [0, 1, 0, 0]), (0.5, [0, 1, 1, 0]), (0.75, [0, 1, 1, 1]), (0.95, [1, 1, 1, 1])]
)
def test_top_p_keeps_the_fewest_tokens_with_that_mass(mass: float, expected: list[int]) -> None:
    assert kept(p.keep_top_p(logs(0.1, 0.4, 0.3, 0.2), mass)) == [[bool(one) for one in expected]]


def test_min_p_keeps_what_is_close_to_the_best() -> None:
    assert kept(p.keep_min_p(logs(0.1, 0.5, 0.26, 0.14), 0.5)) == [[False, True, True, False]]
    assert kept(p.keep_min_p(logs(0.5, 0.5), 1.0)) == [[True, True]]


def test_temperature_comes_before_what_is_cut_off() -> None:
    scores = logs(0.6, 0.3, 0.1)
    assert kept(p.warp(scores, Decoding(sample=True, top_p=0.7))) == [[True, True, False]]
    assert kept(p.warp(scores, Decoding(sample=True, top_p=0.7, temperature=0.5))) == [[True, False, False]]


def test_the_end_waits_for_the_least_length() -> None:
    scores, decoding = torch.zeros(1, 3), Decoding(min_tokens=2)
    assert kept(p.constrain(scores, [[1]], decoding, end=0, banned=[2])) == [[False, True, False]]
    assert kept(p.constrain(scores, [[1, 1]], decoding, end=0, banned=[2])) == [[True, True, False]]


def test_a_row_that_may_say_nothing_more_may_end() -> None:
    scores, decoding = torch.ones(2, 3), Decoding(min_tokens=9, no_repeat_ngram=1)
    assert p.constrain(scores, [[1, 2], [1, 1]], decoding, end=0, banned=[]).tolist() == [[1, NO, NO], [NO, NO, 1]]


def test_scores_that_were_given_stay_as_they_were() -> None:
    scores = torch.ones(1, 4)
    rules = Decoding(min_tokens=2, no_repeat_ngram=1, repetition_penalty=2.0)
    p.constrain(scores, [[1]], rules, end=0, banned=[2])
    p.discourage(scores, [[1]], 1.0)
    p.warp(scores, Decoding(sample=True, top_k=1, top_p=0.5, min_p=0.5, temperature=2.0))
    assert scores.tolist() == [[1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("settings", "reference"),
    [
        ({"temperature": 0.7}, [TemperatureLogitsWarper(0.7)]),
        ({"top_k": 5}, [TopKLogitsWarper(5)]),
        ({"top_p": 0.8}, [TopPLogitsWarper(0.8)]),
        ({"min_p": 0.1}, [MinPLogitsWarper(0.1)]),
        (
            {"temperature": 1.5, "top_k": 12, "top_p": 0.9, "min_p": 0.2},
            [TemperatureLogitsWarper(1.5), TopKLogitsWarper(12), TopPLogitsWarper(0.9), MinPLogitsWarper(0.2)],
        ),
    ],
)
def test_sampled_distributions_are_those_of_transformers(
    settings: dict[str, float], reference: list[LogitsProcessor]
) -> None:
    for seed in SEEDS:
        scores = expected = 3 * torch.randn(3, 30, generator=torch.Generator().manual_seed(seed))
        for processor in reference:
            expected = processor(torch.zeros(3, 0, dtype=torch.long), expected)
        torch.testing.assert_close(p.warp(scores, Decoding(sample=True, **settings)), expected)


def test_rules_about_repetition_are_those_of_transformers() -> None:
    for seed in SEEDS:
        dice = torch.Generator().manual_seed(seed)
        scores, written = torch.randn(3, 6, generator=dice), torch.randint(6, (3, 9), generator=dice)
        expected = NoRepeatNGramLogitsProcessor(2)(written, RepetitionPenaltyLogitsProcessor(1.3)(written, scores))
        rules = Decoding(no_repeat_ngram=2, repetition_penalty=1.3)
        found = p.constrain(scores, written.tolist(), rules, end=0, banned=[])
        torch.testing.assert_close(found[kept_rows(found)], expected[kept_rows(found)])


def kept_rows(scores: torch.Tensor) -> torch.Tensor:
    """The rows that have a choice, for which nothing had to be done to let them end."""
    return (scores > NO).sum(1) > 1
