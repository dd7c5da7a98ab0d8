"""Weights of a torch module as numpy arrays and back, with tied weights stored once."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from hearten.errors import UserError
from hearten.system import Array


def arrays(module: nn.Module) -> dict[str, Array]:
    """Return the weights by name; of weights that are one tensor under several names, only the first."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in _distinct(module).items()}


def fill(module: nn.Module, stored: Mapping[str, Array]) -> None:
    """Give a module the weights that `arrays` returned."""
    lacking = _distinct(module).keys() - stored.keys()
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in stored.items()}
    _, unexpected = module.load_state_dict(tensors, strict=False)
    if lacking or unexpected:
        differences = f"missing {_few(sorted(lacking))}; unexpected {_few(sorted(unexpected))}"
        raise UserError(f"the stored weights do not fit the model: {differences}; train it again")


def _distinct(module: nn.Module) -> dict[str, Tensor]:
    first: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in module.state_dict().items():
        first.setdefault(tensor.data_ptr(), (name, tensor))
    return dict(first.values())


def _few(names: Sequence[str]) -> str:
    """Name the first of many, and count the others."""
    shown, more = names[:3], len(names) - 3
    return (", ".join(shown) or "none") + (f" and {more} more" if more > 0 else "")
