"""A larger reader that a smaller one learns from: its logits for every text, computed once and kept in the cache.

It is asked as int8 ONNX, which is faster than torch (1.7 times for MiniLM in batches); what that rounds away is small
beside what it teaches.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from hearten.artifacts import folder
from hearten.errors import UserError
from hearten.places import cache_folder
from hearten.reader.session import Session
from hearten.system import Array
from hearten.systems.reader.items import Texts

CHUNK = 2000
"""Texts that are stored together; an interruption loses one chunk at the most."""


def taught(place: Path, texts: Sequence[Texts]) -> Array:
    """Return the teacher's logits, head after head: (texts, 114)."""
    require_reader(place)
    digest = hashlib.sha256((place / folder.WEIGHTS).read_bytes()).hexdigest()
    chunks = [texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK)]
    reader = cache(lambda: _session(place, digest))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("asking the teacher", total=len(chunks))
        found = []
        for chunk in chunks:
            found.append(_of_chunk(reader, digest, chunk))
            progress.advance(bar)
    return np.concatenate(found) if found else np.zeros((0, 0), dtype=np.float32)


def require_reader(place: Path) -> None:
    """Refuse a folder that holds something else."""
    found = folder.read_origin(place).system
    if found != "reader":
        raise UserError(f"{place} holds a {found}; a reader can learn only from a reader")


def _of_chunk(reader: Callable[[], Session], digest: str, texts: Sequence[Texts]) -> Array:
    key = hashlib.sha256(json.dumps([digest, texts]).encode()).hexdigest()
    stored = _home() / f"{key[:32]}.npy"
    if stored.is_file():
        return np.asarray(np.load(stored, allow_pickle=False))
    found = np.concatenate(list(reader().logits(texts).values()), axis=1)
    draft = stored.with_suffix(".tmp.npy")
    np.save(draft, found)
    draft.replace(stored)
    return found


def _session(place: Path, digest: str) -> Session:
    """Open the teacher as ONNX, written at the first time."""
    from hearten.systems.reader.export import write_onnx
    from hearten.systems.reader.model import EmotionReader

    reader = folder.load(place)
    assert isinstance(reader, EmotionReader)
    stored = _home() / f"{digest[:32]}.onnx"
    if not stored.is_file():
        draft = stored.with_suffix(".tmp.onnx")
        write_onnx(reader, draft)
        draft.replace(stored)
    return Session(stored, reader.layout)


def _home() -> Path:
    place = cache_folder() / "teachers"
    place.mkdir(parents=True, exist_ok=True)
    return place
