"""Texts in, logits out: an ONNX model and its layout, in batches of like length."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hearten.data.batches import in_order
from hearten.errors import MissingExtra, UserError
from hearten.system import Array

try:
    import onnxruntime  # type: ignore[import-untyped]
    from tokenizers import Tokenizer
except ImportError as error:
    raise MissingExtra("reading emotions") from error

from hearten.reader.layout import Layout

BUDGET = 512
"""Padded tokens in one batch; larger ones are slower, because their vectors leave the cache of the processor."""


class Session:
    """Runs a model. `threads` 0 leaves the choice to the runtime."""

    def __init__(self, model: Path, layout: Layout, threads: int = 0) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        try:
            self._model = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime raises its own kinds, which have no common base
            raise UserError(f"{model} cannot be loaded: {error}") from None
        self.layout = layout
        self.heads = [output.name for output in self._model.get_outputs()]

    def logits(self, texts: Sequence[Sequence[str]]) -> dict[str, Array]:
        """Return the logits of each head for conversations given as the texts of their turns."""
        ids = [self.layout.ids(one) for one in texts]
        batches = in_order([len(one) for one in ids], BUDGET)
        found = [self._run([ids[number] for number in numbers]) for numbers in batches]
        order = np.argsort([number for numbers in batches for number in numbers])
        if not found:
            found, order = [self._run([[self.layout.start]])], np.zeros(0, dtype=int)
        return {name: np.concatenate([part[place] for part in found])[order] for place, name in enumerate(self.heads)}

    def _run(self, ids: Sequence[list[int]]) -> list[Array]:
        width = max(len(one) for one in ids)
        padded = np.full((len(ids), width), self.layout.pad, dtype=np.int64)
        mask = np.zeros((len(ids), width), dtype=np.int64)
        for row, one in enumerate(ids):
            padded[row, : len(one)] = one
            mask[row, : len(one)] = 1
        found: list[Array] = self._model.run(self.heads, {"ids": padded, "mask": mask})
        return found


def read_tokenizer(path: Path) -> Tokenizer:
    """Read a tokenizer file."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exceptions
        raise UserError(f"{path} is not a tokenizer: {error}") from None
