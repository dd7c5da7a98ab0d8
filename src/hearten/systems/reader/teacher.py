"""A larger reader that a smaller one learns from: its logits for every text.

It is asked as int8 ONNX, which is faster than torch (1.7 times for MiniLM in batches); what that rounds away is small
beside what it teaches.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from hearten.artifacts import folder
from hearten.backbones.manifest import sha256
from hearten.errors import UserError
from hearten.nn.asking import answers, shelf
from hearten.reader.session import Session
from hearten.system import Array
from hearten.systems.reader.items import Texts


def taught(place: Path, texts: Sequence[Texts]) -> Array:
    """Return the teacher's logits, head after head: (texts, 114)."""
    require_reader(place)
    digest = sha256(place / folder.WEIGHTS)
    reader = cache(lambda: _session(place, digest))
    return answers(digest, texts, lambda chunk: np.concatenate(list(reader().logits(chunk).values()), axis=1))


def require_reader(place: Path) -> None:
    """Refuse a folder that holds something else."""
    found = folder.read_origin(place).system
    if found != "reader":
        raise UserError(f"{place} holds a {found}; a reader can learn only from a reader")


def _session(place: Path, digest: str) -> Session:
    """Open the teacher as ONNX, written at the first time."""
    from hearten.systems.reader.export import write_onnx
    from hearten.systems.reader.model import EmotionReader

    reader = folder.load(place)
    assert isinstance(reader, EmotionReader)
    stored = shelf() / f"{digest[:32]}.onnx"
    if not stored.is_file():
        draft = stored.with_suffix(".tmp.onnx")
        write_onnx(reader, draft)
        draft.replace(stored)
    return Session(stored, reader.layout)
