"""A training run as a whole: finds or makes its folder, builds the system, runs the stages, saves the model.

While a run is under way its state lies beside the model folder, in `<folder>.training`: the recipe, the log,
TensorBoard files and checkpoints. The model folder appears only when it is whole, and the state goes then.
This file needs no torch, so that systems that only prepare can be made without it.
"""

import hashlib
import json
import shutil
from pathlib import Path

from hearten.artifacts import folder
from hearten.artifacts.folder import CONFIG, Origin, write_json
from hearten.errors import MissingExtra, UserError
from hearten.system import System
from hearten.training.build import build, learns
from hearten.training.changes import since, table
from hearten.training.settings import Recipe

RECIPE = "recipe.json"
LOG = "log.jsonl"
EVENTS = "tensorboard"


class Stopped(UserError):
    """Training was interrupted, and can go on where it stopped."""


def train(recipe: Recipe, out: Path | None = None, resume: bool = True) -> Path:
    """Train a system and return its model folder; what is finished is kept, what was interrupted goes on."""
    place = out or default_place(recipe)
    _check_free(place)
    if resume and _is_finished(place, recipe):
        return place
    if not learns(recipe):
        system, origin = build(recipe)
        return folder.save(system, origin, place)
    try:
        from hearten.training.stages import run_stages
    except ModuleNotFoundError as error:
        raise MissingExtra(f"training {recipe.system}") from error
    work = place.with_name(f"{place.name}.training")
    return run_stages(recipe, place, work, resume)


def default_place(recipe: Recipe) -> Path:
    """Name the folder of a run after the system, the preset and everything that was set."""
    resolved = json.dumps(table(recipe), sort_keys=True).encode()
    return Path("runs") / f"{recipe.system}-{recipe.preset}-{hashlib.sha256(resolved).hexdigest()[:8]}"


def repeated_order(recipe: Recipe) -> str | None:
    """Say so if a run that goes on from another one would meet the examples in the same order again.

    Where the first run was shorter than an epoch, the examples that it did not reach would be left out once more.
    """
    start = getattr(recipe.settings, "start", None)
    if start is None or not learns(recipe) or not (Path(start) / CONFIG).is_file():
        return None
    if folder.read_origin(Path(start)).seed != recipe.seed:
        return None
    other = f"for another one: --set seed={recipe.seed + 1}"
    return f"{start} has met the examples in this order (seed {recipe.seed}); {other}"


def open_work(recipe: Recipe, work: Path, resume: bool) -> None:
    """Make the folder of a run under way, or check that the one there is of the same recipe."""
    if not resume:
        shutil.rmtree(work, ignore_errors=True)
    note = work / RECIPE
    if note.is_file():
        differ = since(json.loads(note.read_text(encoding="utf-8")), recipe)
        if differ:
            raise UserError(_other_recipe(work, differ))
    work.mkdir(parents=True, exist_ok=True)
    draft = note.with_suffix(".tmp")
    write_json(draft, table(recipe))
    draft.replace(note)


def finish(system: System, origin: Origin, place: Path, work: Path) -> None:
    """Save the trained system with its log, and drop the state of the run."""
    extra = {f"{EVENTS}/{path.name}": path for path in sorted((work / EVENTS).iterdir())}
    folder.save(system, origin, place, {LOG: work / LOG, **extra})
    shutil.rmtree(work)


def _is_finished(place: Path, recipe: Recipe) -> bool:
    if not place.exists():
        return False
    origin = folder.read_origin(place)
    made = {"system": origin.settings, "stage": origin.stages, "seed": origin.seed}
    is_same_kind = origin.system == recipe.system
    differ = since(made, recipe) if is_same_kind else [f"system: {origin.system} -> {recipe.system}"]
    if differ:
        raise UserError(_other_recipe(place, differ))
    return True


def _check_free(place: Path) -> None:
    """Refuse to write over a folder that is not a model."""
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()
    if place.exists() and not (place / CONFIG).is_file():
        raise UserError(f"{place} exists and is not a model folder; choose another place with --out")


def _other_recipe(place: Path, differ: list[str]) -> str:
    listed = "".join(f"\n  {line}" for line in differ)
    return f"{place} belongs to another recipe:{listed}\nchoose another folder with --out, or start over with --fresh"
