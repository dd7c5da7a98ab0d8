"""Pretrained weights as torch models, with their tokenizers: from the verified folder only, never running its code."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearten.backbones import catalogue, fetch, manifest
from hearten.backbones.catalogue import Backbone, Kind
from hearten.errors import MissingExtra, UserError

try:
    import torch
    from safetensors import SafetensorError, safe_open
    from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast
    from transformers.utils import logging

    from hearten.backbones import conversion
except ImportError as error:
    raise MissingExtra("loading pretrained weights") from error

WEIGHTS = "model.safetensors"


def causal_lm(name: str | Backbone) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """Load a language model in fp32 and its tokenizer, pulling the weights when they are not here."""
    return _load(name, "causal lm", AutoModelForCausalLM)


def encoder(name: str | Backbone) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """Load an encoder in fp32 and its tokenizer; it gives token vectors, pooling them is the caller's part."""
    # not every checkpoint has a pooling layer; a random one would be taken for a trained one
    return _load(name, "encoder", AutoModel, add_pooling_layer=False)


def _load(
    name: str | Backbone, kind: Kind, family: Any, **options: Any
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    backbone = catalogue.find(name)
    if backbone.kind != kind:
        raise UserError(f"the backbone '{backbone.name}' is of kind '{backbone.kind}', where '{kind}' is needed")
    with _quietly():
        place = _torch_folder(backbone)
        _require_whole(place / WEIGHTS, backbone)
        return _model(family, place, backbone, options), _tokenizer(place, backbone)


def _torch_folder(backbone: Backbone) -> Path:
    place = fetch.folder(backbone)
    found = manifest.read(place)
    for file, entry in (found.files if found else {}).items():
        if file.endswith(".gguf"):
            return conversion.converted(place / file, entry.sha256)
    return place


def _require_whole(weights: Path, backbone: Backbone) -> None:
    if not weights.is_file():
        raise UserError(f"{weights.parent} has no {weights.name}; only safetensors and GGUF weights are loaded")
    try:
        with safe_open(weights, framework="pt"):
            pass
    except (SafetensorError, OSError) as error:
        raise UserError(
            f"{weights} is not a whole safetensors file ({error}); "
            f"fetch it again: hearten models pull --force {backbone.name}"
        ) from None


def _model(family: Any, place: Path, backbone: Backbone, options: dict[str, Any]) -> PreTrainedModel:
    model, report = family.from_pretrained(
        place,
        dtype=torch.float32,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        output_loading_info=True,
        **options,
    )
    if report["missing_keys"]:
        absent = ", ".join(sorted(report["missing_keys"])[:3])
        raise UserError(f"the weights of '{backbone.name}' in {place} lack parts of the model: {absent}")
    return model.eval()


def _tokenizer(place: Path, backbone: Backbone) -> PreTrainedTokenizerFast:
    tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise UserError(f"the tokenizer of '{backbone.name}' in {place} is not of the fast kind; add a tokenizer.json")
    return tokenizer


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep transformers from reporting what `_model` checks itself: bars, and weights of a pooling layer left out."""
    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
