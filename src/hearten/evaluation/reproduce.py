"""A system end to end: train it (or go on training it), evaluate it, and set the paper's scores beside ours."""

from dataclasses import dataclass, replace
from pathlib import Path

from hearten import config
from hearten.evaluation.job import Job, evaluate_target
from hearten.evaluation.report import Result
from hearten.training.loop import train
from hearten.training.settings import recipe

NOT_OURS = {"tiny", "paper"}
"""Presets that are left out unless named: a toy, and one that needs weights from a hub."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """One row of a paper, made again."""

    model: Path
    result: Result
    reported: dict[str, float]


def rows(system: str) -> list[str]:
    """List the presets that a paper's rows are made from."""
    return [preset for preset in config.presets(system) if preset not in NOT_OURS] or config.presets(system)


def reproduce(system: str, preset: str, job: Job, overrides: list[str] | None = None) -> Reproduction:
    """Train and evaluate one preset."""
    wanted = recipe(system, preset, overrides)
    model = train(wanted)
    place = replace(job, out=(job.out or Path("results")) / system / preset)
    return Reproduction(model, evaluate_target(str(model), preset, place), wanted.reported)
