"""What differs between two nested tables, in the words that `--set` takes."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from hearten.config import Json
from hearten.training.settings import Recipe, Stage

MISSING = "absent"


def table(recipe: Recipe) -> Json:
    """Return the part of a recipe that decides what is trained, under the names that presets use."""
    return {
        "system": recipe.settings.model_dump(mode="json"),
        "stage": [stage.model_dump(mode="json") for stage in recipe.stages],
        "seed": recipe.seed,
    }


def since(stored: Json, recipe: Recipe) -> list[str]:
    """List what a recipe changes of one that was stored; what could not be set then counts as its default now."""
    try:
        then = recipe.model_copy(
            update={
                "settings": type(recipe.settings).model_validate(stored["system"]),
                "stages": tuple(Stage.model_validate(stage) for stage in stored["stage"]),
                "seed": stored["seed"],
            }
        )
    except (KeyError, ValidationError):  # something of it is missing, or cannot be set any more
        return changes(stored, table(recipe))
    return changes(table(then), table(recipe))


def changes(old: Json, new: Json) -> list[str]:
    """List what differs, one line each: `stage.0.lr: 0.001 -> 0.01`."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    return [
        f"{key}: {before.get(key, MISSING)} -> {after.get(key, MISSING)}"
        for key in sorted(before.keys() | after.keys())
        if before.get(key, MISSING) != after.get(key, MISSING)
    ]


def _leaves(value: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    inner: dict[str, Any] = {}
    if isinstance(value, dict):
        inner = {str(key): item for key, item in value.items()}
    elif isinstance(value, list | tuple):
        inner = {str(position): item for position, item in enumerate(value)}
    if not inner:
        yield ".".join(path), value
    for key, item in inner.items():
        yield from _leaves(item, (*path, key))
