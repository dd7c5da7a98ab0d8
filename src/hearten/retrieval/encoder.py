"""Texts as vectors without torch: an exported encoder run by ONNX Runtime, with numpy and tokenizers.

encoder/  encoder.json  tokenizer.json  contexts.onnx  [candidates.onnx]  [labels.safetensors]
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import load_file

from hearten.data.batches import in_order
from hearten.errors import MissingExtra, UserError
from hearten.retrieval.labels import Labeller
from hearten.retrieval.layout import Layout, Limits
from hearten.system import Array, Context

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SETTINGS, TOKENIZER, LABELS = "encoder.json", "tokenizer.json", "labels.safetensors"
CONTEXTS, CANDIDATES = "contexts.onnx", "candidates.onnx"
BUDGET = 512
"""Padded tokens encoded at a time; more leave the cache of the processor, which is slower."""


class Encoder:
    """The exported encoders of a retrieval system."""

    def __init__(self, place: Path, threads: int = 0) -> None:
        if not (place / SETTINGS).is_file():
            raise UserError(f"{place} holds no exported encoder")
        told = json.loads((place / SETTINGS).read_text(encoding="utf-8"))
        labels = load_file(place / LABELS) if (place / LABELS).is_file() else None
        labeller = Labeller.restore(told["labels"], labels) if labels else None
        self._layout = Layout(_tokenizer(place / TOKENIZER), Limits(**told["limits"]), labeller)
        self._padding: int = told["padding"]
        self._contexts = _session(place / CONTEXTS, threads)
        has_two = (place / CANDIDATES).is_file()
        self._candidates = _session(place / CANDIDATES, threads) if has_two else self._contexts

    def contexts(self, contexts: Sequence[Context]) -> Array:
        """Return the vectors of contexts. (contexts, hidden)"""
        return self._run(self._contexts, [self._layout.context(context) for context in contexts])

    def candidates(self, texts: Sequence[str]) -> Array:
        """Return the vectors of candidates. (texts, hidden)"""
        return self._run(self._candidates, [self._layout.reply(text) for text in texts])

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the dot products of contexts and candidates. (contexts, texts)"""
        return np.asarray(self.contexts(contexts) @ self.candidates(candidates).T)

    def _run(self, session: Any, rows: Sequence[list[int]]) -> Array:
        found: dict[int, Array] = {}
        for numbers in in_order([len(row) for row in rows], BUDGET):
            ids, mask = self._padded([rows[number] for number in numbers])
            found |= zip(numbers, session.run(None, {"ids": ids, "mask": mask})[0], strict=True)
        return np.stack([found[number] for number in range(len(rows))])

    def _padded(self, rows: Sequence[list[int]]) -> tuple[Array, Array]:
        lengths = np.array([len(row) for row in rows])
        mask = np.arange(lengths.max()) < lengths[:, None]
        ids = np.full(mask.shape, self._padding, dtype=np.int64)
        ids[mask] = [token for row in rows for token in row]
        return ids, mask.astype(np.int64)


def _tokenizer(path: Path) -> "Tokenizer":
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("running an exported encoder") from None
    return Tokenizer.from_str(path.read_text(encoding="utf-8"))


def _session(path: Path, threads: int) -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("running an exported encoder") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
