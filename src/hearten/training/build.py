"""From a recipe to a system that is prepared but not trained, and the note of where it comes from. Needs no torch."""

from pathlib import Path
from typing import Any

from hearten import registry
from hearten.artifacts import folder
from hearten.artifacts.folder import Origin, command_line, package_version
from hearten.config import ready_preset
from hearten.data import source
from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.system import System
from hearten.training.settings import Recipe, Stage, recipe

VALIDATION = "valid"


def build(wanted: Recipe) -> tuple[System, Origin]:
    """Prepare a system from the training examples of all its stages."""
    kind: type[System] = registry.load("system", wanted.system)
    system = kind.prepare(_with_folder(wanted.settings), _all_examples(wanted), wanted.seed)
    return system, _origin(wanted)


def ready(place: Path | str, preset: str | None = None, overrides: list[str] | None = None) -> tuple[System, Origin]:
    """Load a model folder, or build a system that needs no training from its name, preset and changes to it."""
    if Path(place).is_dir():
        if overrides:
            raise UserError(f"{place} is trained already; settings can be changed only where a system is made anew")
        return folder.load(Path(place)), folder.read_origin(Path(place))
    preset = preset or ready_preset(str(place))
    chosen = recipe(str(place), preset, overrides)
    if learns(chosen):
        raise UserError(
            f"{place} has to be trained first; run: hearten train {place} --preset {preset}\n"
            "and name the folder that it prints"
        )
    return build(chosen)


def learns(wanted: Recipe) -> bool:
    """Say whether anything is left to train once the system is prepared."""
    kind = registry.load("system", wanted.system)
    return callable(getattr(kind, "collate", None)) and any(trains(stage) for stage in wanted.stages)


def trains(stage: Stage) -> bool:
    """Say whether a stage takes any step."""
    return stage.steps > 0 or stage.epochs > 0


def training_examples(stage: Stage) -> list[Example]:
    """Return what a stage learns from."""
    return source.load_examples(stage.corpus, "train", stage.sides, stage.window, stage.limit)


def validation_examples(stage: Stage) -> list[Example]:
    """Return what a stage is judged by, spread evenly over the split; nothing where no corpus has such a split."""
    judges = _validating(stage)
    found = source.load_examples("+".join(judges), VALIDATION, stage.sides, stage.window) if judges else []
    limit = stage.evaluate_limit or len(found)
    return found[:: max(1, len(found) // max(1, limit))][:limit]


def _with_folder(settings: Any) -> Any:
    """Let a system that goes on from a packed run find the folder of that run."""
    start = Path(getattr(settings, "start", None) or "")
    if not start.is_file():
        return settings
    from hearten.training.packing import unpacked  # which builds what packed runs began with

    return settings.model_copy(update={"start": str(unpacked(start))})


def _validating(stage: Stage) -> list[str]:
    """Name the corpora of a stage that have a validation split; none if the stage takes no step."""
    mixed = source.parts(stage.corpus) if trains(stage) else []
    return [name for name in mixed if VALIDATION in source.corpus(name).files(source.folder_of(name))]


def _all_examples(wanted: Recipe) -> list[Example]:
    """Return the examples of all stages; stages that read the same ones count once."""
    readings = {(s.corpus, s.sides, s.window, s.limit): s for s in wanted.stages}
    return [example for stage in readings.values() for example in training_examples(stage)]


def _origin(wanted: Recipe) -> Origin:
    used = {(corpus, "train") for stage in wanted.stages for corpus in source.parts(stage.corpus)}
    used |= {(corpus, VALIDATION) for stage in wanted.stages for corpus in _validating(stage)}
    return Origin(
        system=wanted.system,
        preset=wanted.preset,
        seed=wanted.seed,
        settings=wanted.settings.model_dump(mode="json"),
        stages=[stage.model_dump(mode="json") for stage in wanted.stages],
        data={f"{corpus}/{split}": source.checksum(corpus, split) for corpus, split in sorted(used)},
        command=command_line(),
        version=package_version(),
    )
