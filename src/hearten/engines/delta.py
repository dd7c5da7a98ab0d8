"""A fine-tuned model as a small file: what changed of each base matrix, cut to the directions that changed most.

A change of m x n numbers becomes two factors with r (m + n) numbers, by singular values. Where rank is worth its bytes
is decided over all matrices at once: directions are ranked by the squared change that a byte buys. Factors are float16,
or int8 with a scale for each direction: half the bytes, so twice the rank; the rounding is small beside what is cut.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Literal

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from hearten.errors import UserError
from hearten.system import Array

Storage = Literal["int8", "float16"]
Arrays = Mapping[str, Array]
LEFT, RIGHT, SCALE, WHOLE = ".left", ".right", ".scale", ".whole"
FORMAT = "hearten delta 1"
NOISE = 1e-13
"""Squared singular values below this share of the largest are rounding."""
BYTES: dict[Storage, int] = {"int8": 1, "float16": 2}


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one matrix by directions, largest first: left @ right."""

    left: Array
    right: Array
    squares: Array
    """Squared singular values: how much of the squared change each direction is."""

    def cost(self, storage: Storage) -> int:
        """Return the bytes of one direction."""
        scale = 4 if storage == "int8" else 0
        return BYTES[storage] * (len(self.left) + len(self.right[0])) + scale


def extract(base: Arrays, tuned: Arrays, megabytes: float | None = None, storage: Storage = "int8") -> dict[str, Array]:
    """Return the delta that makes the tuned weights of the base; without a budget all directions are kept."""
    if base.keys() != tuned.keys():
        odd = sorted(base.keys() ^ tuned.keys())
        raise UserError(f"the base and the tuned model do not have the same weights: {', '.join(odd[:3])}")
    changed = [name for name in base if base[name].ndim < 2 and not np.array_equal(base[name], tuned[name])]
    vectors = {name + WHOLE: np.asarray(tuned[name], np.float32) for name in changed}
    changes = {name: _change(base[name], tuned[name]) for name in base if base[name].ndim == 2}
    spent = sum(array.nbytes for array in vectors.values())
    left = None if megabytes is None else int(megabytes * 1e6) - spent
    if left is not None and left < 0:
        raise UserError(f"{megabytes} MB do not even hold the norms, which take {spent / 1e6:.1f} MB")
    ranks = _ranks(changes, left, storage)
    factors = [_factors(name, change, ranks[name], storage) for name, change in changes.items() if ranks[name]]
    return vectors | {key: array for stored in factors for key, array in stored.items()}


def _change(base: Array, tuned: Array) -> Change:
    """Decompose by the eigenvectors of the smaller Gram matrix: exact enough for float16, and fast for an embedding."""
    change = np.asarray(tuned, np.float64) - np.asarray(base, np.float64)
    is_tall = change.shape[0] >= change.shape[1]
    tall = change if is_tall else change.T
    squares, directions = np.linalg.eigh(tall.T @ tall)  # ascending
    squares, directions = squares[::-1], directions[:, ::-1]
    squares = np.where(squares > NOISE * max(squares[0], 0.0), squares, 0.0)
    roots = np.where(squares > 0, squares, 1.0) ** 0.25  # so that both factors are of like size
    thin, wide = directions * roots, (tall @ directions) / roots  # (small, rank), (large, rank)
    left, right = (wide, thin.T) if is_tall else (thin, wide.T)
    return Change(left.astype(np.float32), right.astype(np.float32), squares)


def _ranks(changes: Mapping[str, Change], budget: int | None, storage: Storage) -> dict[str, int]:
    """Give each matrix its rank: the directions that buy most come first, until the budget is spent."""
    if budget is None:
        return {name: int(np.count_nonzero(change.squares)) for name, change in changes.items()}
    costs = {name: change.cost(storage) for name, change in changes.items()}
    worth = [
        (square / costs[name], name) for name, change in changes.items() for square in change.squares if square > 0
    ]
    ranks = dict.fromkeys(changes, 0)
    for _, name in sorted(worth, reverse=True):
        if costs[name] <= budget:
            budget -= costs[name]
            ranks[name] += 1
    return ranks


def _factors(name: str, change: Change, rank: int, storage: Storage) -> dict[str, Array]:
    left, right = change.left[:, :rank], change.right[:rank]
    if storage == "float16":
        return {name + LEFT: left.astype(np.float16), name + RIGHT: right.astype(np.float16)}
    left_steps = _steps(left, axis=0)
    right_steps = _steps(right, axis=1)
    return {
        name + LEFT: np.rint(left / left_steps).astype(np.int8),
        name + RIGHT: np.rint(right / right_steps[:, None]).astype(np.int8),
        name + SCALE: (left_steps * right_steps).astype(np.float32),
    }


def _steps(factor: Array, axis: int) -> Array:
    """Return what one step of int8 stands for in each direction."""
    largest = np.abs(factor).max(axis=axis)
    return np.asarray(np.where(largest > 0, largest, 1.0) / 127)


def apply(base: Arrays, delta: Arrays) -> dict[str, Array]:
    """Return the base with the delta added."""
    strangers = {key.rpartition(".")[0] for key in delta} - base.keys()
    if strangers:
        raise UserError(f"the delta changes weights that the base does not have: {', '.join(sorted(strangers)[:3])}")
    return {name: _applied(name, array, delta) for name, array in base.items()}


def _applied(name: str, array: Array, delta: Arrays) -> Array:
    if name + WHOLE in delta:
        return np.asarray(delta[name + WHOLE], np.float32)
    if name + LEFT not in delta:
        return array
    left = delta[name + LEFT].astype(np.float32)
    if name + SCALE in delta:
        left *= delta[name + SCALE]
    return np.asarray(array + left @ delta[name + RIGHT].astype(np.float32))


@dataclass(frozen=True, slots=True)
class Loss:
    """What is lost of the change of one matrix."""

    name: str
    rank: int
    bytes: int
    error: float
    """Size of what is missing, relative to the size of the change."""


def losses(base: Arrays, tuned: Arrays, delta: Arrays) -> Iterator[Loss]:
    """Say of each matrix how much of its change the delta misses."""
    made = apply(base, delta)
    for name in (name for name in base if base[name].ndim == 2):
        change = float(np.linalg.norm(tuned[name] - base[name]))
        missing = float(np.linalg.norm(tuned[name] - made[name]))
        parts = [delta[name + part] for part in (LEFT, RIGHT, SCALE) if name + part in delta]
        rank = parts[0].shape[1] if parts else 0
        yield Loss(name, rank, sum(part.nbytes for part in parts), missing / change if change else 0.0)


def save(delta: Arrays, base_sha256: str, path: Path, **about: str) -> None:
    """Write a delta, the hash of the base that it belongs to, and what else is to be known of it."""
    arrays = {name: np.ascontiguousarray(array) for name, array in delta.items()}
    save_file(arrays, path, metadata={"format": FORMAT, "base": base_sha256, **about})


def base_of(path: Path) -> str:
    """Return the hash of the base that a delta belongs to."""
    return about(path)["base"]


def about(path: Path) -> dict[str, str]:
    """Return what was written beside a delta."""
    return _opened(path)[0]


def load(path: Path) -> dict[str, Array]:
    """Read a delta."""
    return _opened(path, with_arrays=True)[1]


def added(base: Arrays, paths: Iterable[Path]) -> dict[str, Array]:
    """Return the base with the deltas of several files added, one after the other."""
    return reduce(apply, map(load, paths), dict(base))


def _opened(path: Path, with_arrays: bool = False) -> tuple[dict[str, str], dict[str, Array]]:
    try:
        with safe_open(path, framework="numpy") as stored:
            metadata = stored.metadata() or {}
            arrays = {name: stored.get_tensor(name) for name in stored.keys()} if with_arrays else {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise UserError(f"{path} is not a readable delta ({error}); install hearten again") from None
    if metadata.get("format") != FORMAT or "base" not in metadata:
        raise UserError(f"{path} is not a delta that this hearten reads; it should be of the format '{FORMAT}'")
    return metadata, arrays
