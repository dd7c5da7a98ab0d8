"""Arrays of a safetensors file without reading it: the system pages in what is touched, once for all processes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from hearten.errors import UserError
from hearten.system import Array

KINDS: dict[str, DTypeLike] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
    "I8": np.int8,
    "U8": np.uint8,
}
SIZE = 8
"""Bytes that give the length of the header."""


def map_tensors(path: Path) -> dict[str, Array]:
    """Return the arrays of a file, read-only and memory-mapped."""
    header, start = _header(path)
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    found: dict[str, Array] = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        piece = whole[start + first : start + last]
        found[name] = piece.view(np.dtype(KINDS[entry["dtype"]])).reshape(entry["shape"])
    return found


def _header(path: Path) -> tuple[dict[str, dict[str, Any]], int]:
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(SIZE), "little")
            if length > path.stat().st_size:
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        end = max((entry["data_offsets"][1] for entry in header.values()), default=0)
        if SIZE + length + end != path.stat().st_size:
            raise ValueError("it is cut off")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is not a whole safetensors file ({error}); build it again") from None
    return header, SIZE + length
