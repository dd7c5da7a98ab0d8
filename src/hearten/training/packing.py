"""What a run learned as a small file, and the model folder made from that file again.

A run is its recipe and what it learned; one that went on from the folder of another is packed together with it, one
that went on from a packed run (`system.start=FILE`) needs that file, in its place or beside its own. The file holds the
origin of the model and, of each weight, the change from what the recipe begins with (a backbone, say), cut to the
directions that changed most (`hearten.engines.delta`). So a model can be kept where its hundreds of megabytes cannot,
and a run can go on from it on another machine.
"""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from hearten import config, registry
from hearten.artifacts import folder
from hearten.artifacts.folder import Origin
from hearten.backbones.manifest import sha256
from hearten.engines import delta as deltas
from hearten.engines.delta import WHOLE, Arrays, Loss
from hearten.errors import MissingExtra, UserError
from hearten.places import cache_folder
from hearten.system import Array, Trainable
from hearten.training.build import build
from hearten.training.settings import Recipe, Stage

SMALL = 32_768
"""Weights of no more numbers are kept whole: heads begin at random, so that their change means nothing elsewhere."""

ROUNDING = 1e-4
"""Of the size of a weight: two kinds of processor differed by 2e-8, an epoch of adapters moved most marks by 1e-2."""


def pack(place: Path, path: Path, megabytes: float) -> list[Loss]:
    """Write what the model in a folder learned, and return what is missing of each change."""
    origin = _whole(folder.read_origin(place))
    base, tuned = _weights(_beginning(origin)), _weights(_trainable(folder.load(place), str(place)))
    small = {name + WHOLE: array for name, array in tuned.items() if _is_small(array)}
    base, tuned = _large(base), _large(tuned)
    kept = sum(array.nbytes for array in small.values()) / 1e6
    if kept > megabytes:
        raise UserError(f"what is kept whole takes {kept:.1f} MB already; allow more with --megabytes")
    delta = deltas.extract(base, tuned, megabytes - kept)
    told = {"origin": json.dumps(asdict(origin)), "marks": json.dumps(_marks(base))}
    deltas.save(small | delta, _digest(base), path, **told)
    return list(deltas.losses(base, tuned, delta))


def unpack(path: Path, place: Path) -> Path:
    """Make the model folder of a packed run; its backbone and corpora are needed."""
    from hearten.nn.weights import fill

    about = deltas.about(path)
    if "origin" not in about:
        raise UserError(f"{path} does not say what it is of; runs are packed by: hearten models pack")
    origin = Origin(**json.loads(about["origin"]))
    system = _beginning(_beside(path, origin))
    base = _weights(system)
    if _digest(_large(base)) != about["base"] and not _has_marks(_large(base), json.loads(about.get("marks", "{}"))):
        raise UserError(f"{path} was learned on top of other weights than this hearten has; fetch the one that fits")
    fill(system.network, deltas.apply(base, deltas.load(path)))
    return folder.save(system, origin, place)  # type: ignore[arg-type]


def unpacked(path: Path) -> Path:
    """Return the model folder of a packed run; it is made in the cache at the first time."""
    place = cache_folder() / "unpacked" / sha256(path)[:32]
    return place if place.is_dir() else unpack(path, place)


def _beside(path: Path, origin: Origin) -> Origin:
    """Let a packed run that went on from another packed one find it in its own folder, whatever folder one is in."""
    start = Path(origin.settings.get("start") or "")
    near = path.parent / start.name
    if start.exists() or not near.is_file():
        return origin
    return replace(origin, settings={**origin.settings, "start": str(near)})


def _whole(origin: Origin) -> Origin:
    """Tell a run that went on from a folder, and that from another, as one run with the stages of all of them."""
    start = str(origin.settings.get("start") or "")
    if not (Path(start) / folder.CONFIG).is_file():
        return origin
    before = folder.read_origin(Path(start))
    if before.system != origin.system:
        return origin
    before = _whole(before)
    settings = {**origin.settings, "start": before.settings.get("start")}
    stages = [*before.stages, *origin.stages]
    return replace(origin, settings=settings, stages=stages, data=before.data | origin.data)


def _beginning(origin: Origin) -> Trainable:
    """Build what a run began with."""
    where = f"the origin of {origin.system}"
    kind = registry.load("system", origin.system)
    settings = config.validate(kind.Config, origin.settings, where)
    stages = tuple(config.validate(Stage, stage, where) for stage in origin.stages)
    recipe = Recipe(system=origin.system, preset=origin.preset, settings=settings, stages=stages, seed=origin.seed)
    return _trainable(build(recipe)[0], origin.system)


def _trainable(system: object, what: str) -> Trainable:
    if not isinstance(system, Trainable):
        raise UserError(f"{what} does not learn by gradients; there is nothing to pack")
    return system


def _weights(system: Trainable) -> dict[str, Array]:
    try:
        from hearten.nn.weights import arrays
    except ModuleNotFoundError as error:
        raise MissingExtra("packing a run") from error
    return {name: array.copy() for name, array in arrays(system.network).items()}


def _is_small(array: Array) -> bool:
    return array.size <= SMALL


def _large(weights: Arrays) -> dict[str, Array]:
    return {name: array for name, array in weights.items() if not _is_small(array)}


def _digest(weights: Arrays) -> str:
    hashed = hashlib.sha256()
    for name in sorted(weights):
        hashed.update(name.encode() + np.ascontiguousarray(weights[name]).tobytes())
    return hashed.hexdigest()


def _marks(weights: Arrays) -> dict[str, float]:
    """Tell each weight by one number, a sum under a wave: another weight has another, rounding hardly changes it."""
    return {name: float(array.ravel() @ np.cos(np.arange(array.size))) for name, array in weights.items()}


def _has_marks(weights: Arrays, told: dict[str, float]) -> bool:
    """Say whether weights are those that were told, but for how processors round where a delta is added to a base."""
    found = _marks(weights)
    return found.keys() == told.keys() and all(
        abs(mark - told[name]) <= ROUNDING * float(np.linalg.norm(weights[name])) for name, mark in found.items()
    )
