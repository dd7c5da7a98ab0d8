"""A larger reader that a smaller one learns from: its logits for every text.

It is asked in the way that is fastest: by torch in half precision where the processor can, elsewhere as int8 ONNX. What
either rounds away is small beside what it teaches (docs/experiments.md).
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import torch

from hearten.artifacts import folder
from hearten.backbones.manifest import sha256
from hearten.errors import UserError
from hearten.nn.asking import answers, shelf
from hearten.reader.session import Session
from hearten.system import Array
from hearten.systems.reader.items import Texts

Ask = Callable[[Sequence[Texts]], Array]


def taught(place: Path, texts: Sequence[Texts]) -> Array:
    """Return the teacher's logits, head after head: (texts, 114)."""
    require_reader(place)
    digest = sha256(place / folder.WEIGHTS)
    teacher = cache(lambda: _teacher(place, digest))
    return answers(digest, texts, lambda chunk: teacher()(chunk))


def require_reader(place: Path) -> None:
    """Refuse a folder that holds something else."""
    found = folder.read_origin(place).system
    if found != "reader":
        raise UserError(f"{place} holds a {found}; a reader can learn only from a reader")


def _teacher(place: Path, digest: str) -> Ask:
    """Load the teacher; its ONNX form is written at the first time."""
    from hearten.systems.reader.export import write_onnx
    from hearten.systems.reader.model import EmotionReader

    reader = folder.load(place)
    assert isinstance(reader, EmotionReader)
    if _halves_are_fast():
        return _in_half_precision(reader.read)
    stored = shelf() / f"{digest[:32]}.onnx"
    if not stored.is_file():
        draft = stored.with_suffix(".tmp.onnx")
        write_onnx(reader, draft)
        draft.replace(stored)
    session = Session(stored, reader.layout)
    return lambda texts: np.concatenate(list(session.logits(texts).values()), axis=1)


def _halves_are_fast() -> bool:
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def _in_half_precision(read: Callable[[Sequence[Texts]], Sequence[torch.Tensor]]) -> Ask:
    def ask(texts: Sequence[Texts]) -> Array:
        with torch.autocast("cpu", torch.bfloat16):
            return torch.cat(list(read(texts)), dim=1).float().numpy()

    return ask
