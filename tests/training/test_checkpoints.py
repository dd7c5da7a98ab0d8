"""Checkpoints: what is written comes back, and damage is noticed."""

from pathlib import Path

import pytest
import torch
from torch import nn

from hearten.errors import UserError
from hearten.training import optim
from hearten.training.checkpoints import OPTIMISER, WEIGHTS, Checkpoints, State
from hearten.training.settings import Stage

Pair = tuple[nn.Module, torch.optim.Optimizer]


def pair(seed: int) -> Pair:
    """A network with tied weights, and its optimiser after a step."""
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.LayerNorm(4))
    network[1].weight = network[0].weight
    optimiser = optim.adamw(network, Stage(corpus="sample"))
    learn(network, optimiser)
    return network, optimiser


def learn(network: nn.Module, optimiser: torch.optim.Optimizer) -> None:
    network(torch.arange(8.0).reshape(2, 4)).square().sum().backward()
    optimiser.step()
    optimiser.zero_grad()


def written(folder: Path, steps: list[int], best_step: int | None = None) -> Checkpoints:
    checkpoints = Checkpoints(folder)
    for step in steps:
        checkpoints.write(State(step=step, best_step=best_step, best=best_step and 1.0), *pair(step))
    return checkpoints


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_network_and_optimiser_come_back_and_learn_on_alike(tmp_path: Path) -> None:
    network, optimiser = pair(1)
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(State(step=5), network, optimiser)
    again = pair(2)
    checkpoints.load(State(step=5), *again)
    for one in ((network, optimiser), again):
        learn(*one)
    for name, value in network.state_dict().items():
        assert torch.equal(again[0].state_dict()[name], value), name


def test_nothing_is_pickled(tmp_path: Path) -> None:
    written(tmp_path, [1])
    kinds = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert kinds == {".safetensors", ".json"}


@pytest.mark.parametrize("name", [WEIGHTS, OPTIMISER])
@pytest.mark.parametrize("damage", ["truncate", "flip", "remove"])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(
    tmp_path: Path, name: str, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoints = written(tmp_path, [10, 20])
    path = tmp_path / "stage-0-step-0000020" / name
    whole = path.read_bytes()
    match damage:
        case "truncate":
            path.write_bytes(whole[:-9])
        case "flip":
            path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        case _:
            path.unlink()
    state = checkpoints.newest()
    assert state is not None and state.step == 10
    assert "step-0000020 is damaged" in capsys.readouterr().err
    checkpoints.forget_after(state)
    assert names(tmp_path) == ["stage-0-step-0000010"]


def test_when_no_checkpoint_can_be_read_it_says_what_to_do(tmp_path: Path) -> None:
    checkpoints = written(tmp_path, [10])
    (tmp_path / "stage-0-step-0000010" / "state.json").write_text("{")
    with pytest.raises(UserError, match="--fresh"):
        checkpoints.newest()


def test_a_folder_without_checkpoints_is_a_run_that_begins(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path / "none").newest() is None


def test_the_two_newest_and_the_best_are_kept(tmp_path: Path) -> None:
    written(tmp_path, [10, 20, 30, 40, 50], best_step=20)
    assert names(tmp_path) == [f"stage-0-step-00000{step}" for step in (20, 40, 50)]


def test_half_written_checkpoints_are_cleared_away(tmp_path: Path) -> None:
    checkpoints = written(tmp_path, [10])
    (tmp_path / ".stage-0-step-0000020-abc").mkdir()
    checkpoints.forget_after(checkpoints.newest())
    assert names(tmp_path) == ["stage-0-step-0000010"]
