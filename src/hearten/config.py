"""Settings and presets: frozen pydantic models for what may be set, TOML files beside each system for the values."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from hearten import registry
from hearten.errors import UserError

Json = Any  # what json.dumps accepts
Table = dict[str, Any]


class Settings(BaseModel):
    """Base of everything configurable. Unknown keys are refused, values never change after validation."""

    model_config = ConfigDict(frozen=True, extra="forbid")


SettingsType = TypeVar("SettingsType", bound=Settings)


def presets(system: str) -> list[str]:
    """List the presets that lie beside a system."""
    return sorted(path.stem for path in system_folder(system).glob("*.toml"))


def ready_preset(system: str) -> str:
    """Name the preset of a system that is used where none is asked for: the shipped weights, or the small one."""
    return "shipped" if "shipped" in presets(system) else "tiny"


def system_folder(system: str) -> Path:
    """Find the folder of a system without importing it, which may need packages that are not installed."""
    found = find_spec(registry.provider("system", system).partition(":")[0])
    if found is None or found.origin is None:
        raise UserError(f"the code of the system '{system}' cannot be found; install its package again")
    return Path(found.origin).parent


def read_preset(system: str, preset: str) -> Table:
    """Read a preset and the one it extends, if any; tables merge, lists and values replace."""
    table = _read(system, preset)
    base = table.pop("extends", None)
    if base is None:
        return table
    parent = _read(system, base)
    if "extends" in parent:
        raise UserError(
            f"preset '{preset}' of {system} extends '{base}', which extends another; one level is the limit"
        )
    return merge(parent, table)


def _read(system: str, preset: str) -> Table:
    known = presets(system)
    if preset not in known:
        raise UserError(f"{system} has no preset '{preset}'; it has: {', '.join(known)}")
    return tomllib.loads((system_folder(system) / f"{preset}.toml").read_text(encoding="utf-8"))


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> Table:
    """Lay one table over another."""
    merged = dict(base)
    for key, value in over.items():
        both_tables = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both_tables else value
    return merged


def override(table: Mapping[str, Any], assignments: Sequence[str]) -> Table:
    """Apply `a.b=value` assignments; values are TOML, or plain words. A number in the path picks from a list."""
    changed: Any = _copy(table)
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals:
            raise UserError(f"cannot read the override '{assignment}'; write it as key=value, e.g. system.hidden=64")
        *parents, last = path.strip().split(".")
        place = changed
        for name in parents:
            place = _step(place, name, path)
        if isinstance(place, list):
            place[_index(place, last, path)] = _value(text)
        else:
            place[last] = _value(text)
    return dict(changed)


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def _step(place: Any, name: str, path: str) -> Any:
    if isinstance(place, list):
        return place[_index(place, name, path)]
    inner = place.setdefault(name, {})
    if not isinstance(inner, dict | list):
        raise UserError(f"cannot set '{path}': '{name}' holds a value, not a table")
    return inner


def _index(place: list[Any], name: str, path: str) -> int:
    if name.isdecimal() and int(name) < len(place):
        return int(name)
    raise UserError(f"cannot set '{path}': '{name}' is not one of the positions 0 to {len(place) - 1}")


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def validate(kind: type[SettingsType], table: Mapping[str, Any], where: str) -> SettingsType:
    """Turn a table into settings, with errors that name the key and the place."""
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        lines = [f"  {'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
        raise UserError(f"{where} is not valid:\n" + "\n".join(lines)) from None
