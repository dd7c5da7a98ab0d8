"""The optimiser and its learning rate."""

import pytest
from torch import nn

from hearten.training.optim import adamw, rate
from hearten.training.settings import Stage


def test_the_rate_warms_up_in_a_line_and_falls_in_a_cosine() -> None:
    stage = Stage(corpus="sample", lr=1.0, warmup=4)
    assert [rate(stage, step, 12) for step in range(4)] == [0.25, 0.5, 0.75, 1.0]
    assert [rate(stage, step, 12) for step in (4, 6, 8, 10)] == pytest.approx([1.0, 0.853553, 0.5, 0.146447], abs=1e-6)
    assert rate(stage, 11, 12) > 0


def test_a_constant_rate_stays_after_the_warm_up() -> None:
    stage = Stage(corpus="sample", lr=0.5, warmup=2, schedule="constant")
    assert [rate(stage, step, 9) for step in range(9)] == [0.25] + [0.5] * 8


def test_norms_and_biases_do_not_decay_and_frozen_weights_are_left_out() -> None:
    network = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3), nn.Linear(3, 3))
    network[2].requires_grad_(False)
    groups = adamw(network, Stage(corpus="sample", weight_decay=0.1)).param_groups
    assert {group["weight_decay"]: [w.ndim for w in group["params"]] for group in groups} == {0.1: [2], 0.0: [1, 1, 1]}
