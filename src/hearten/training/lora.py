"""Low-rank adapters (Hu et al. 2022, arXiv 2106.09685): put in, train alone, and merge away at the end of a stage."""

from peft import LoraConfig, inject_adapter_in_model
from peft.tuners.tuners_utils import BaseTunerLayer
from peft.utils import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as KNOWN_TARGETS
from torch import nn

from hearten.errors import UserError
from hearten.training.settings import Stage


def inject(network: nn.Module, stage: Stage) -> set[str]:
    """Put adapters in place, so that they alone learn, and return the names of the weights that learned before."""
    learning = {name for name, weight in network.named_parameters() if weight.requires_grad}
    targets = list(stage.lora_targets) or _known_targets(network)
    settings = LoraConfig(
        r=stage.lora_rank,
        lora_alpha=stage.lora_alpha,
        lora_dropout=stage.lora_dropout,
        target_modules=targets,
        bias="none",
    )
    try:
        inject_adapter_in_model(settings, network)
    except ValueError as error:
        raise UserError(f"cannot put adapters into this network: {error}; set stage.N.lora_targets") from None
    return learning


def merge(network: nn.Module, learning: set[str]) -> None:
    """Add the adapters to the weights they adapt and take them out; the function stays the same."""
    adapted = [(name, layer) for name, layer in network.named_modules() if isinstance(layer, BaseTunerLayer)]
    for name, layer in adapted:
        layer.merge()
        network.set_submodule(name, layer.get_base_layer())
    for name, weight in network.named_parameters():
        weight.requires_grad_(name in learning)


def _known_targets(network: nn.Module) -> list[str]:
    for module in network.modules():
        kind = getattr(getattr(module, "config", None), "model_type", None)
        if kind in KNOWN_TARGETS:
            return list(KNOWN_TARGETS[kind])
    raise UserError(
        "there are no usual places for adapters in this network; name them: --set stage.N.lora_targets=[..]"
    )
