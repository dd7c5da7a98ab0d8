"""Keeping what frozen layers make of a text, so that they compute it once and not in every epoch.

The layers say the same about a text each time, since they neither learn nor (here) drop anything at random. Their
outputs are kept in memory as half floats: 1.5 kB a token for 768 hidden units, 3.4 GB for the contexts and replies of
EmpatheticDialogues. A run that is interrupted begins to remember anew.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from hearten.errors import UserError
from hearten.training.freezing import lower_layers, models

Row = tuple[int, ...]

OTHER_INPUTS = ("inputs_embeds", "position_ids", "token_type_ids", "past_key_values")
"""A text is told by its ids alone; a call with any of these is computed as ever."""


@contextmanager
def remembering(network: nn.Module, count: int) -> Iterator[None]:
    """Let the lowest `count` layers, which must be frozen, compute each row of ids once while this lasts."""
    memories = [Memory(model, lower_layers(model, count)) for model in models(network)]
    try:
        yield
    finally:
        for memory in memories:
            memory.let_go()


class Memory:
    """Stands before the frozen layers of one model."""

    def __init__(self, model: Any, layers: Sequence[nn.Module]) -> None:
        if not layers or any(weight.requires_grad for layer in layers for weight in layer.parameters()):
            raise UserError("only layers that stay as they are can be remembered: set stage.N.frozen too")
        self._layers = layers
        self._still = [inner for part in model.modules() if _is_frozen(part) for inner in part.modules()]
        self._kept: dict[Row, Tensor] = {}
        self._rows: list[Row] = []
        self._is_known = self._is_tuple = False
        self._hook = model.register_forward_pre_hook(self._look, with_kwargs=True)
        for number, layer in enumerate(layers):
            layer.forward = self._instead(layer.forward, number == len(layers) - 1)

    def let_go(self) -> None:
        """Leave the model as it was."""
        self._hook.remove()
        for layer in self._layers:
            del layer.forward

    def _look(self, _: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note which texts the model is asked about, and whether they are known."""
        for part in self._still:
            part.training = False
        self._rows = _texts(args, kwargs)
        self._is_known = bool(self._rows) and all(row in self._kept for row in self._rows)

    def _instead(self, forward: Callable[..., Any], is_last: bool) -> Callable[..., Any]:
        """Return what a layer does now: nothing, where all texts are known; the last one hands over what is kept."""

        def step(states: Tensor, *args: Any, **kwargs: Any) -> Any:
            if self._is_known:
                known = self._recalled(states) if is_last else states
                return (known,) if self._is_tuple else known
            out = forward(states, *args, **kwargs)
            self._is_tuple = isinstance(out, tuple)
            if is_last and self._rows:
                self._keep(out[0] if self._is_tuple else out)
            return out

        return step

    def _keep(self, states: Tensor) -> None:
        for row, state in zip(self._rows, states.detach(), strict=True):
            whole = state[: len(row)].cpu()
            half = whole.half()
            self._kept[row] = half if half.isfinite().all() else whole.clone()

    def _recalled(self, like: Tensor) -> Tensor:
        states = torch.zeros_like(like)
        for number, row in enumerate(self._rows):
            states[number, : len(row)] = self._kept[row].to(like.device)
        return states


def _is_frozen(part: nn.Module) -> bool:
    weights = list(part.parameters())
    return bool(weights) and not any(weight.requires_grad for weight in weights)


def _texts(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Row]:
    """Return the ids that are given to a model without what pads them; none where they are not all that is given."""
    ids: Tensor | None = kwargs.get("input_ids", args[0] if args else None)
    if ids is None or len(args) > 1 or any(kwargs.get(name) is not None for name in OTHER_INPUTS):
        return []
    mask: Tensor = torch.ones_like(ids) if kwargs.get("attention_mask") is None else kwargs["attention_mask"].long()
    if mask.dim() != 2 or not torch.equal(mask.cumprod(1), mask):
        return []
    return [tuple(row[:length]) for row, length in zip(ids.tolist(), mask.sum(1).tolist(), strict=True)]
