"""Batches: complete, within budget, repeatable."""

import random

import pytest

from hearten.data.batches import Plan, in_order, shuffled

LENGTHS = random.Random(7).choices(range(3, 90), k=1000)
BUDGET = 256


@pytest.mark.parametrize("batches", [in_order(LENGTHS, BUDGET), shuffled(LENGTHS, BUDGET, (0, 0, 0))])
def test_every_example_comes_exactly_once(batches: list[list[int]]) -> None:
    assert sorted(number for batch in batches for number in batch) == list(range(len(LENGTHS)))


@pytest.mark.parametrize("batches", [in_order(LENGTHS, BUDGET), shuffled(LENGTHS, BUDGET, (0, 0, 0))])
def test_no_batch_is_wider_than_the_budget(batches: list[list[int]]) -> None:
    assert max(len(batch) * max(LENGTHS[number] for number in batch) for batch in batches) <= BUDGET


def test_an_example_beyond_the_budget_makes_its_own_batch() -> None:
    assert in_order([5, 500, 5], 100) == [[0, 2], [1]]


def test_the_same_seed_gives_the_same_batches_and_another_epoch_gives_others() -> None:
    assert shuffled(LENGTHS, BUDGET, (1, 0, 0)) == shuffled(LENGTHS, BUDGET, (1, 0, 0))
    assert shuffled(LENGTHS, BUDGET, (1, 0, 0)) != shuffled(LENGTHS, BUDGET, (1, 0, 1))


def test_little_is_wasted_on_padding() -> None:
    batches = shuffled(LENGTHS, BUDGET, (0, 0, 0))
    padded = sum(len(batch) * max(LENGTHS[number] for number in batch) for batch in batches)
    assert sum(LENGTHS) / padded > 0.95


def test_batches_do_not_come_sorted_by_length() -> None:
    widths = [max(LENGTHS[number] for number in batch) for batch in shuffled(LENGTHS, BUDGET, (0, 0, 0))]
    assert widths != sorted(widths)


def test_steps_go_on_from_epoch_to_epoch() -> None:
    plan = Plan(LENGTHS, BUDGET, 3, (0, 0))
    first = plan.epoch(0)
    steps = plan.steps()
    assert [next(steps) for _ in first] == [(0, step) for step in first]
    assert next(steps) == (1, plan.epoch(1)[0])


def test_a_step_holds_the_asked_number_of_microbatches() -> None:
    sizes = [len(step) for step in Plan(LENGTHS, BUDGET, 3, (0, 0)).epoch(0)]
    assert set(sizes[:-1]) == {3}
    assert 1 <= sizes[-1] <= 3


def test_parts_of_epochs_count_their_part_of_the_steps() -> None:
    plan = Plan(LENGTHS, BUDGET, 1, (0, 0))
    assert plan.count(0.5) == round(len(plan.epoch(0)) / 2)
    assert plan.count(2) == len(plan.epoch(0)) + len(plan.epoch(1))
