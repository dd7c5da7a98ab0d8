"""Where a language model comes from: a backbone, the shipped generator, or the folder of an earlier model."""

import json
from collections.abc import Mapping
from pathlib import Path

from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from hearten.artifacts import folder
from hearten.backbones.loading import causal_lm
from hearten.config import Json
from hearten.errors import UserError
from hearten.listener.shipped import with_shipped_deltas
from hearten.nn.weights import arrays, fill

VOCABULARY, SHAPE = "tokenizer.json", "architecture.json"
KIN = ("plainlm", "plannedlm", "selector")
"""Systems whose folders hold such a language model and nothing else."""
SHIPPED = "shipped"


def taken_over(backbone: str | None, start: str | None) -> tuple[PreTrainedModel, Tokenizer]:
    """Return a backbone, with what the shipped generator learned where that is asked for, or an earlier model."""
    if start and not is_shipped(start):
        return _earlier(Path(start))
    if backbone is None:
        raise UserError("system.start=shipped needs a system.backbone: the shipped weights are a difference from one")
    model, fast = causal_lm(backbone)
    if start:
        fill(model, with_shipped_deltas(arrays(model), start.partition("/")[2]))
    return model, fast.backend_tokenizer


def is_shipped(start: str) -> bool:
    """Say whether a start is the shipped generator, or an earlier state of it: `shipped/FILE`, up to that delta."""
    return start.partition("/")[0] == SHIPPED


def read_assets(place: Path) -> dict[str, Json]:
    """Return what `rebuilt` needs from a model folder."""
    return {name: folder.read_json(place / name) for name in (VOCABULARY, SHAPE)}


def assets(model: PreTrainedModel, tokenizer: Tokenizer) -> dict[str, Json]:
    """Return vocabulary and shape, to rebuild the model without its backbone."""
    return {VOCABULARY: json.loads(tokenizer.to_str()), SHAPE: json.loads(model.config.to_json_string(use_diff=False))}


def rebuilt(stored: Mapping[str, Json]) -> tuple[PreTrainedModel, Tokenizer]:
    """Make a model of the shape that `assets` noted, whose weights are still to be filled in."""
    shape = dict(stored[SHAPE])
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(shape.pop("model_type"), **shape))
    return model, Tokenizer.from_str(json.dumps(stored[VOCABULARY]))


def _earlier(place: Path) -> tuple[PreTrainedModel, Tokenizer]:
    found = folder.read_origin(place).system
    if found not in KIN:
        raise UserError(f"{place} holds a {found}; go on from one of: {', '.join(KIN)}")
    model, tokenizer = rebuilt(read_assets(place))
    fill(model, folder.read_tensors(place / folder.WEIGHTS))
    return model, tokenizer
