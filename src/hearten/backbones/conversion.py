"""GGUF weights made into a folder that transformers loads fast: fp32 safetensors, config and tokenizer.

Dequantising takes half a minute; the result is kept in `torch/` beside the GGUF file, with a manifest of its own that
names the GGUF file's hash, so that other weights or another recipe are converted afresh.
"""

from pathlib import Path

import gguf
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM, PreTrainedModel

from hearten import places
from hearten.backbones import manifest
from hearten.backbones.locking import alone
from hearten.errors import UserError

FOLDER = "torch"
RECIPE = 1
"""Raise it when the conversion below changes, so that old results are not used."""


def converted(weights: Path, sha256: str) -> Path:
    """Return the folder converted from this GGUF file, converting it when that has not been done."""
    place = weights.parent / FOLDER
    source = f"gguf {sha256} recipe {RECIPE}"
    if not _is_current(place, source):  # asked first without the lock: a read-only cache has none
        with alone(weights.parent.name):
            if not _is_current(place, source):
                _convert(weights, place, source)
    return place


def _is_current(place: Path, source: str) -> bool:
    kept = manifest.read(place)
    return kept is not None and kept.source == source and not manifest.changed(place, kept)


def _convert(weights: Path, place: Path, source: str) -> None:
    require_whole(weights)
    with places.whole_folder(place) as draft:
        dequantised(weights).save_pretrained(draft)
        _tokenizer(weights).save_pretrained(draft)
        manifest.take(draft, weights.name, source)


def dequantised(weights: Path) -> PreTrainedModel:
    """Read GGUF weights into a fresh fp32 Llama with tied embeddings."""
    # a model loaded from GGUF remembers its quantisation and refuses to be saved: hence the fresh one
    loaded = AutoModelForCausalLM.from_pretrained(
        weights.parent, gguf_file=weights.name, dtype=torch.float32, local_files_only=True, trust_remote_code=False
    )
    if not isinstance(loaded, LlamaForCausalLM):
        raise UserError(f"{weights} holds a {loaded.config.model_type} model; only llama models are read from GGUF")
    settings = loaded.config.to_dict()
    settings.pop("quantization_config", None)
    settings.pop("_name_or_path", None)
    fresh = LlamaForCausalLM(type(loaded.config)(**settings))
    fresh.load_state_dict(loaded.state_dict())
    fresh.tie_weights()
    return fresh.eval()


def require_whole(weights: Path) -> None:
    """Refuse a GGUF file that is cut short or is something else."""
    try:
        gguf.GGUFReader(weights)
    except (ValueError, IndexError, KeyError, OSError, OverflowError, MemoryError) as error:
        raise UserError(
            f"{weights} is not a readable GGUF file ({error}); "
            f"fetch it again: hearten models pull --force {weights.parent.name}"
        ) from None


def _tokenizer(weights: Path) -> AutoTokenizer:
    return AutoTokenizer.from_pretrained(
        weights.parent, gguf_file=weights.name, local_files_only=True, trust_remote_code=False
    )
