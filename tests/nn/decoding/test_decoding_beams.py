"""Beam search by hand and by exhaustion, and diverse beams, which transformers no longer has, against plain code."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import LlamaForCausalLM

from hearten.decoding import Decoding
from hearten.nn.decoding import generate
from hearten.nn.decoding.causal import CausalStepper

END = 0
Tables = Callable[[Tensor], Any]
Llama = Callable[[int], LlamaForCausalLM]
PROMPTS = [[3, 4, 5, 6, 7], [8, 9], [10, 11, 12], [9]]

GARDEN_PATH = torch.tensor(
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.6, 0.4], [0.4, 0.3, 0.2, 0.1], [0.9, 0.02, 0.03, 0.05]]
).log()
"""After 1, the likeliest next token 2 leads nowhere good; 3 ends well."""


def random_table(seed: int, size: int) -> Tensor:
    """One for each place, because otherwise replies with the same pairs of tokens are equally likely."""
    return 2 * torch.randn(9, size, size, generator=torch.Generator().manual_seed(seed))


def test_beams_find_what_greedy_misses(stepper_of: Tables) -> None:
    (greedy,) = generate(stepper_of(GARDEN_PATH), [[1]], Decoding(), END)[0]
    best, second = generate(stepper_of(GARDEN_PATH), [[1]], Decoding(beams=2), END, n=2)[0]
    assert (greedy.ids, best.ids, second.ids) == ((2,), (3,), (2,))
    assert best.nats == pytest.approx(math.log(0.4 * 0.9))
    assert best.score == pytest.approx(math.log(0.4 * 0.9) / 2)


@pytest.mark.parametrize(("penalty", "best"), [(-1.0, ()), (0.0, ()), (1.0, (2, 3))])
def test_the_length_penalty_decides_between_short_and_long(
    penalty: float, best: tuple[int, ...], stepper_of: Tables
) -> None:
    table = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.3, 0.0, 0.7, 0.0], [0.2, 0.0, 0.0, 0.8], [0.5, 0.5, 0.0, 0.0]])
    decoding = Decoding(beams=3, min_tokens=0, length_penalty=penalty)
    assert generate(stepper_of(table.log()), [[1]], decoding, END)[0][0].ids == best


def every_reply(nats: Tensor, first: int, max_tokens: int) -> dict[tuple[int, ...], float]:
    """All replies that could be given, with their log probabilities."""
    found = {}
    for length in range(1, max_tokens + 1):
        for ids in product(range(1, nats.shape[-1]), repeat=length):
            whole = [*ids, END][:max_tokens]
            found[ids] = nats[range(len(whole)), [first, *whole[:-1]], whole].sum().item()
    return found


def test_enough_beams_find_every_reply_in_order(stepper_of: Tables) -> None:
    for seed in range(20):
        table = random_table(seed, 4)
        expected = every_reply(table.log_softmax(-1), 1, 4)
        found = generate(stepper_of(table), [[1]], Decoding(beams=200, max_tokens=4, length_penalty=0.0), END, n=200)[0]
        assert {one.ids: one.nats for one in found} == pytest.approx(expected, rel=1e-4)
        assert [one.ids for one in found] == sorted(expected, key=lambda ids: -expected[ids])


def plain_diverse(nats: Tensor, first: int, decoding: Decoding) -> list[tuple[float, list[int]]]:
    """Diverse beam search for one prompt, one beam after the other, without batches: (score, ids with the end)."""
    width, rows = decoding.beams // decoding.groups, nats.tolist()
    running: list[list[tuple[float, list[int]]]] = [[(0.0, [])] for _ in range(decoding.groups)]
    finished: list[list[tuple[float, list[int]]]] = [[] for _ in range(decoding.groups)]
    for length in range(1, decoding.max_tokens + 1):
        taken: list[int] = []
        for group in [group for group in range(decoding.groups) if running[group]]:
            options = []
            for total, ids in running[group]:
                for token, own in enumerate(rows[length - 1][ids[-1] if ids else first]):
                    if token != END or length > decoding.min_tokens:
                        options.append((total + own - decoding.diversity * taken.count(token), [*ids, token]))
            options = sorted(options, reverse=True)[: 2 * width]
            running[group] = [(total, ids) for total, ids in options if ids[-1] != END][:width]
            taken += [ids[-1] for _, ids in running[group]]
            for total, ids in options[:width]:
                if ids[-1] == END or length == decoding.max_tokens:
                    finished[group].append((total / length, ids))
            finished[group] = sorted(finished[group], reverse=True)[:width]
            if len(finished[group]) == width and running[group][0][0] / length <= finished[group][-1][0]:
                running[group] = []
    return sorted((found for group in finished for found in group), reverse=True)


@pytest.mark.parametrize("settings", ["beams=4,groups=2,diversity=0.7", "beams=3,groups=3,diversity=2.0"])
def test_diverse_beams_are_those_of_plain_code(settings: str, stepper_of: Tables) -> None:
    decoding = Decoding.parse(f"{settings},max_tokens=6")
    for seed in range(30):
        table = random_table(seed, 8)
        prompts = [[1], [2], [3]]
        found = generate(stepper_of(table), prompts, decoding, END, n=decoding.beams)
        for (first,), each in zip(prompts, found, strict=True):
            best: dict[tuple[int, ...], float] = {}
            for score, ids in plain_diverse(table.log_softmax(-1), first, decoding):
                best.setdefault(tuple(token for token in ids if token != END), score)
            assert {one.ids: one.score for one in each} == pytest.approx(best, rel=1e-4)
            assert [one.ids for one in each] == list(best)


def test_groups_say_different_things(stepper_of: Tables) -> None:
    apart = Decoding(beams=3, groups=3, diversity=100.0, max_tokens=1)
    assert len(generate(stepper_of(random_table(0, 6)), [[1]], apart, END, n=3)[0]) == 3
    alike = apart.model_copy(update={"diversity": 1e-6})
    assert len(generate(stepper_of(random_table(0, 6)), [[1]], alike, END, n=3)[0]) == 1


def test_diversity_is_in_the_score_but_not_in_the_probability(stepper_of: Tables) -> None:
    table = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 0.1, 0.8, 0.1], [0.0, 0.1, 0.46, 0.44], [1.0, 0.0, 0.0, 0.0]])
    decoding = Decoding(beams=2, groups=2, diversity=0.3, max_tokens=2)
    first, second = generate(stepper_of(table.log()), [[1]], decoding, END, n=2)[0]
    assert (first.ids, second.ids) == ((2, 2), (2, 3))
    assert second.nats == pytest.approx(math.log(0.8 * 0.44))
    assert second.score == pytest.approx((second.nats - 0.3) / 2)


def test_more_replies_than_beams_widen_every_group(stepper_of: Tables) -> None:
    decoding = Decoding(beams=2, groups=2, diversity=50.0, max_tokens=3)
    assert 4 < len(generate(stepper_of(random_table(1, 9)), [[1]], decoding, END, n=5)[0]) <= 5


@pytest.mark.parametrize("settings", ["beam,max_tokens=8", "diverse,max_tokens=8"])
def test_a_prompt_is_searched_alike_alone_and_among_others(settings: str, llama: Llama) -> None:
    decoding = Decoding.parse(settings)
    for seed in range(6):
        stepper = CausalStepper(llama(seed))
        together = generate(stepper, PROMPTS, decoding, END, n=3)
        for prompt, expected in zip(PROMPTS, together, strict=True):
            (alone,) = generate(stepper, [prompt], decoding, END, n=3)
            assert [one.ids for one in alone] == [one.ids for one in expected]
            assert [one.score for one in alone] == pytest.approx([one.score for one in expected], rel=1e-4)


def test_rows_of_a_prompt_that_is_done_are_not_computed(stepper_of: Tables) -> None:
    ends_soon, goes_on = [0.9, 0.04, 0.03, 0.03], [0.01, 0.01, 0.5, 0.48]
    stepper = stepper_of(torch.tensor([ends_soon, ends_soon, goes_on, goes_on]).log())
    generate(stepper, [[1], [2]], Decoding(beams=2, max_tokens=5, min_tokens=0), END)
    assert stepper.counts == [2, 4, 2, 2, 2]


def test_rules_hold_for_every_beam(llama: Llama) -> None:
    for seed in range(6):
        rules = Decoding(beams=5, min_tokens=3, max_tokens=9, no_repeat_ngram=2)
        for one in generate(CausalStepper(llama(seed)), [[5]], rules, END, n=5, banned=[7])[0]:
            assert 3 <= len(one.ids) <= 9
            assert END not in one.ids and 7 not in one.ids
            pairs = list(zip(one.ids, one.ids[1:], strict=False))
            assert len(set(pairs)) == len(pairs)
