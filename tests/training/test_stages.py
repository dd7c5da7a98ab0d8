"""A stage of training, with a toy that learns one number: training pulls it to 1, validation would have it at 0.5."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.system import Batch
from hearten.training.build import validation_examples
from hearten.training.checkpoints import Checkpoints, State
from hearten.training.interrupt import Interruption
from hearten.training.loop import Stopped
from hearten.training.processes import Processes
from hearten.training.progress import Bar
from hearten.training.settings import Stage
from hearten.training.stages import Desk, StageRun
from hearten.training.step import Learner

STAGE = Stage(
    corpus="sample", steps=20, batch_tokens=16, lr=0.1, schedule="constant", weight_decay=0, evaluate_every=1, limit=40
)


class Aim(list[float]):
    """An encoded example: the number that it asks for."""


class Number(nn.Module):
    """Distance of one weight from the aims, with noise if asked for."""

    def __init__(self, noise: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.noise = nn.Dropout(noise)

    def forward(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"distance": ((self.noise(tensors["aims"]) - self.weight) ** 2).sum()}


class Toy:
    """Trainable, and nothing else."""

    loss_weights: Mapping[str, float] = {"distance": 1.0}

    def __init__(self, stage: Stage = STAGE, noise: float = 0.0) -> None:
        self.network = Number(noise)
        self.held_out = {example.id for example in validation_examples(stage)}
        self.collated = 0
        self.interruption = Interruption()
        self.stop_at: int | None = None

    def encode(self, example: Example) -> Aim:
        return Aim([0.5 if example.id in self.held_out else 1.0])

    def collate(self, encoded: Sequence[Any]) -> Batch:
        self.collated += 1
        self.interruption.asked = self.collated == self.stop_at
        aims = torch.tensor([list(one) for one in encoded])
        return Batch({"aims": aims}, {"distance": len(aims)})

    def run_of(self, folder: Path, stage: Stage = STAGE) -> StageRun:
        desk = Desk(None, Bar(False), Checkpoints(folder), self.interruption, Processes())
        return StageRun(self, stage, 0, 0, desk)


def test_the_best_weights_are_kept_not_the_last(tmp_path: Path) -> None:
    system = Toy()
    state = State()
    system.run_of(tmp_path).run(state, is_resumed=False)
    assert state.step == 20
    assert state.best_step is not None and state.best_step < 20
    assert system.network.weight.item() == pytest.approx(0.5, abs=0.06)


def test_patience_ends_a_stage_that_no_longer_improves(tmp_path: Path) -> None:
    stage = STAGE.model_copy(update={"patience": 3})
    state = State()
    Toy().run_of(tmp_path, stage).run(state, is_resumed=False)
    assert state.best_step is not None
    assert state.step == state.best_step + 3


def test_without_looks_on_the_way_the_last_weights_stand(tmp_path: Path) -> None:
    stage = STAGE.model_copy(update={"evaluate_every": 0})
    system = Toy()
    state = State()
    system.run_of(tmp_path, stage).run(state, is_resumed=False)
    assert state.best_step == 20
    assert system.network.weight.item() > 0.8


def test_an_interrupted_stage_goes_on_to_the_same_end(tmp_path: Path) -> None:
    stage = STAGE.model_copy(update={"evaluate_every": 0})
    whole = Toy(noise=0.5)
    whole.run_of(tmp_path / "whole", stage).run(State(), is_resumed=False)
    stopped = Toy(noise=0.5)
    stopped.stop_at = 7
    with pytest.raises(Stopped, match="stopped after step 6 of 20"):
        stopped.run_of(tmp_path / "part", stage).run(State(), is_resumed=False)
    state = Checkpoints(tmp_path / "part").newest()
    assert state is not None and state.step == 6
    resumed = Toy(noise=0.5)
    resumed.run_of(tmp_path / "part", stage).run(state, is_resumed=True)
    assert torch.equal(resumed.network.weight, whole.network.weight)


def test_a_loss_that_explodes_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    stage = STAGE.model_copy(update={"lr": 1e30})
    with pytest.raises(UserError, match=r"the loss became (inf|nan) .* --set stage.0.lr=2.5e\+29"):
        Toy().run_of(tmp_path, stage).run(State(), is_resumed=False)


def test_two_microbatches_give_the_gradient_of_one_twice_as_large(tmp_path: Path) -> None:
    encoded = [Aim([float(number)]) for number in range(10)]
    gradients = []
    for batches in ([list(range(10))], [list(range(3)), list(range(3, 10))]):
        system = Toy()
        learner = Learner(system, Processes(), (0, 0))
        gathered = learner.gather(encoded, batches, step=0)
        counts, _ = learner.counts(gathered, stop=False)
        losses = learner.backward(gathered, counts, step=0)
        assert losses.total == pytest.approx(sum(n**2 for n in range(10)) / 10)
        gradients.append(system.network.weight.grad.item())
    assert gradients[0] == pytest.approx(-9.0)
    assert gradients[1] == pytest.approx(gradients[0])
