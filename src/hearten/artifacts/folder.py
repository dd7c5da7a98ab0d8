"""Saving and loading a model folder.

    config.json  model.safetensors  <assets of the system>  metrics.json  log.jsonl  README.md

The folder is written beside its place and renamed at the end, so nobody meets half a model. It stores the system's
registry name, never an import path, and no pickled object.
"""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from hearten import config, registry
from hearten.artifacts import card
from hearten.config import Json
from hearten.errors import UserError
from hearten.places import whole_folder as whole_folder
from hearten.system import System

SCHEMA = 1
CONFIG = "config.json"
WEIGHTS = "model.safetensors"
METRICS = "metrics.json"
RESERVED = {CONFIG, WEIGHTS, METRICS, "log.jsonl", "README.md"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model comes from; together with the weights it can rebuild and explain itself."""

    system: str
    preset: str
    seed: int
    settings: Json
    stages: Json
    data: dict[str, str]
    """SHA-256 of each corpus split that was used, by `corpus/split`."""
    command: str
    version: str


def command_line() -> str:
    """Return the command that is running, without the path of the program."""
    program = Path(sys.argv[0]).name
    return " ".join(["hearten" if program == "__main__.py" else program, *sys.argv[1:]])


def package_version() -> str:
    """Return hearten's version."""
    return version("hearten")


def save(system: System, origin: Origin, place: Path, extra: Mapping[str, Path] | None = None) -> Path:
    """Write a model folder; `extra` files (the training log, say) are copied in under the given names."""
    assets = system.assets()
    clash = RESERVED & set(assets)
    if clash:
        raise ValueError(f"{origin.system} wants to store assets under reserved names: {sorted(clash)}")
    with whole_folder(place) as draft:
        tensors = {name: np.ascontiguousarray(array) for name, array in system.tensors().items()}
        save_file(tensors, draft / WEIGHTS)
        for name, asset in assets.items():
            write_json(draft / name, asset)
        for name, source in (extra or {}).items():
            (draft / name).parent.mkdir(exist_ok=True)
            shutil.copy(source, draft / name)
        write_json(draft / CONFIG, {"schema": SCHEMA, **_fields(origin)})
        (draft / "README.md").write_text(card.write(draft), encoding="utf-8")
    return place


def load(place: Path) -> System:
    """Rebuild the system that a model folder holds."""
    origin = read_origin(place)
    kind: type[System] = registry.load("system", origin.system)
    settings = config.validate(kind.Config, origin.settings, f"the settings in {place / CONFIG}")
    assets = {path.name: read_json(path) for path in _assets(place)}
    return kind.restore(settings, assets, read_tensors(place / WEIGHTS))


def read_tensors(path: Path) -> dict[str, Any]:
    """Read a safetensors file as numpy arrays."""
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{path} is not a readable safetensors file ({error}); fetch or train the model again"
        ) from None


def read_origin(place: Path) -> Origin:
    """Read what a model folder says of itself."""
    path = place / CONFIG
    if not path.is_file():
        raise UserError(f"{place} is not a model folder: it has no {CONFIG}. Models are made by: hearten train")
    table = json.loads(path.read_text(encoding="utf-8"))
    schema = table.pop("schema", None)
    if schema != SCHEMA:
        raise UserError(f"{path} has schema {schema}; this hearten reads schema {SCHEMA}. Install a newer hearten.")
    return Origin(**table)


def read_json(path: Path) -> Json:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, value: Json) -> None:
    """Write readable JSON."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _fields(origin: Origin) -> dict[str, Any]:
    return {name: getattr(origin, name) for name in Origin.__slots__}


def _assets(place: Path) -> list[Path]:
    return [path for path in sorted(place.glob("*.json")) if path.name not in RESERVED]
