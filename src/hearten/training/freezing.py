"""Leaving the lower layers of pretrained models as they are: cheaper steps, and a smaller difference to ship."""

from collections.abc import Iterator
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from hearten.errors import UserError


def freeze(network: nn.Module, count: int) -> None:
    """Keep the embeddings and the lowest `count` layers of every pretrained model in the network from learning.

    Nothing below the lowest layer that learns may learn: the backward pass stops there, and that is what is saved.
    """
    found = list(models(network))
    if not found:
        raise UserError("there is no pretrained model in this network whose layers could be frozen")
    for model in found:
        layers = _layers(model)
        if count >= len(layers):
            raise UserError(f"stage.N.frozen is {count}, and the model has {len(layers)} layers: one has to learn")
        model.requires_grad_(False)
        for part in (*layers[count:], *_above(model, layers)):
            part.requires_grad_(True)


def lower_layers(model: Any, count: int) -> list[nn.Module]:
    """Return the lowest `count` layers of a pretrained model."""
    return list(_layers(model)[:count])


def models(network: nn.Module) -> Iterator[Any]:
    """Return the pretrained models, without the heads that transformers puts on some."""
    inner: set[int] = set()
    for module in network.modules():
        if isinstance(module, PreTrainedModel) and id(module) not in inner:
            inner |= {id(part) for part in module.modules()}
            yield module.base_model


def _layers(model: Any) -> nn.ModuleList:
    depth = model.config.num_hidden_layers
    lists = (part for part in model.modules() if isinstance(part, nn.ModuleList) and len(part) == depth)
    found = next(lists, None)
    if found is None:
        raise UserError(f"cannot tell the layers of {type(model).__name__}; leave stage.N.frozen at 0")
    return found


def _above(model: nn.Module, layers: nn.ModuleList) -> list[nn.Module]:
    """Return what stands on top of the layers: the last norm, a pooler."""
    children = list(model.children())
    place = next(n for n, child in enumerate(children) if any(part is layers for part in child.modules()))
    return children[place + 1 :]
