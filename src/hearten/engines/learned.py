"""What training left in a model folder, as a model for engines and as a delta to ship."""

import json
from collections.abc import Sequence
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from hearten.engines import assemble, gguf_files
from hearten.engines import delta as deltas
from hearten.engines.delta import Loss, Storage
from hearten.engines.llama import Llama, llama, shape_of
from hearten.errors import UserError

HEADER = 0.1
"""Megabytes that the table of contents of a delta file takes at most."""


def read_folder(place: Path) -> Llama:
    """Read the language model of a trained model folder."""
    try:
        architecture = json.loads((place / "architecture.json").read_text(encoding="utf-8"))
        tokenizer = json.loads((place / "tokenizer.json").read_text(encoding="utf-8"))
        tensors = load_file(place / "model.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise UserError(f"{place} does not hold a trained language model ({error}); train it again") from None
    return llama(shape_of(architecture), tensors, Tokenizer.from_str(json.dumps(tokenizer)))


def write_delta(
    place: Path,
    backbone: str,
    path: Path,
    megabytes: float = 38.0,
    storage: Storage = "int8",
    after: Sequence[Path] = (),
) -> list[Loss]:
    """Write the delta between a backbone, with earlier deltas, and a model trained from it, in so many megabytes.

    Returns what the delta misses of each matrix.
    """
    tuned = read_folder(place)
    weights, sha256 = assemble.base_file(backbone)
    base = gguf_files.read(weights)
    if base.shape != tuned.shape:
        raise UserError(f"{place} was not trained from {backbone}: its shape is {tuned.shape}, not {base.shape}")
    before = deltas.added(base.tensors, after)
    delta = deltas.extract(before, tuned.tensors, megabytes - HEADER, storage)
    deltas.save(delta, sha256, path)
    return list(deltas.losses(before, tuned.tensors, delta))
