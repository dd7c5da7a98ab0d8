"""Checkpoints: weights, optimiser state and where the run stands, as safetensors and JSON, each folder whole or absent.

There is no random state to keep: every micro-batch seeds its own noise from the run's seed and its place in the run.
The best weights of a stage are those of the checkpoint that was written when they were found.
"""

import hashlib
import json
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, load_model, save_file, save_model
from torch import nn

from hearten.artifacts.folder import whole_folder, write_json
from hearten.errors import UserError

WEIGHTS = "network.safetensors"
OPTIMISER = "optimiser.safetensors"
STATE = "state.json"
KEPT = 2


@dataclass
class State:
    """Where a run stands: steps taken in this stage, and the best validation loss of the stage."""

    stage: int = 0
    step: int = 0
    best: float | None = None
    best_step: int | None = None
    stale: int = 0
    """Looks since the best."""
    is_done: bool = False


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, state: State, network: nn.Module, optimiser: torch.optim.Optimizer) -> None:
        """Write a checkpoint, and drop those that are no longer needed."""
        with whole_folder(self._place(state.stage, state.step)) as draft:
            save_model(network, str(draft / WEIGHTS))
            save_file(_flat(optimiser), draft / OPTIMISER)
            digests = {name: _digest(draft / name) for name in (WEIGHTS, OPTIMISER)}
            write_json(draft / STATE, {"state": asdict(state), "sha256": digests})
        self._prune()

    def newest(self) -> State | None:
        """Return where the newest sound checkpoint stands; None where there is none at all."""
        places = self._places()
        for place in reversed(places):
            state = _sound(place)
            if state and (state.best_step is None or _sound(self._place(state.stage, state.best_step))):
                return state
            print(f"checkpoint {place} is damaged; going back to the one before", file=sys.stderr)
        if places:
            raise UserError(f"no checkpoint in {self._folder} can be read; start over with --fresh")
        return None

    def forget_after(self, state: State | None) -> None:
        """Drop what was written after a state, or only half written."""
        reached = (-1, -1) if state is None else (state.stage, state.step)
        for place in self._folder.iterdir() if self._folder.is_dir() else ():
            if place.name.startswith(".") or _position(place) > reached:
                shutil.rmtree(place)

    def load(self, state: State, network: nn.Module, optimiser: torch.optim.Optimizer) -> None:
        """Put network and optimiser into the state of a checkpoint."""
        place = self._place(state.stage, state.step)
        load_model(network, place / WEIGHTS)
        _fill(optimiser, load_file(place / OPTIMISER))

    def load_best(self, state: State, network: nn.Module) -> None:
        """Give the network the best weights of the stage, if any were judged."""
        if state.best_step is not None:
            load_model(network, self._place(state.stage, state.best_step) / WEIGHTS)

    def _place(self, stage: int, step: int) -> Path:
        return self._folder / f"stage-{stage}-step-{step:07d}"

    def _places(self) -> list[Path]:
        return sorted(self._folder.glob("stage-*-step-*"), key=_position)

    def _prune(self) -> None:
        """Keep the newest checkpoints, and the best of the stage as each of them knows it."""
        places = self._places()
        kept = set(places[-KEPT:])
        for place in places[-KEPT:]:
            state = _sound(place, deeply=False)
            if state and state.best_step is not None:
                kept.add(self._place(state.stage, state.best_step))
        for place in set(places) - kept:
            shutil.rmtree(place)


def _position(place: Path) -> tuple[int, int]:
    _, stage, _, step = place.name.split("-")
    return int(stage), int(step)


def _sound(place: Path, deeply: bool = True) -> State | None:
    """Return the state of a checkpoint if its files are what was written."""
    try:
        note = json.loads((place / STATE).read_text(encoding="utf-8"))
        is_whole = not deeply or all(_digest(place / name) == digest for name, digest in note["sha256"].items())
        return State(**note["state"]) if is_whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flat(optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Name each tensor of the optimiser by weight number and kind."""
    held = optimiser.state_dict()["state"]
    return {f"{number}.{kind}": value for number, kinds in held.items() for kind, value in kinds.items()}


def _fill(optimiser: torch.optim.Optimizer, flat: dict[str, torch.Tensor]) -> None:
    held: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in flat.items():
        number, kind = name.split(".")
        held.setdefault(int(number), {})[kind] = value.clone()
    optimiser.load_state_dict({"state": held, "param_groups": optimiser.state_dict()["param_groups"]})
