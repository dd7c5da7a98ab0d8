"""From an exported ONNX model of 8 bits back to weights that can learn: bytes times their scales.

What eight bits rounded away stays lost. The file keeps neither architecture nor names of the products; the network
to be filled gives both, since the exporter writes products in the order in which a text passes them.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, numpy_helper
from torch import nn

from hearten.errors import UserError
from hearten.system import Array

BYTES, SCALE, ZERO = "_quantized", "_scale", "_zero_point"
PRODUCT = "MatMulInteger"


def exported_weights(path: Path, prefix: str, network: nn.Module) -> dict[str, Array]:
    """Return the weights of an exported model, named with a prefix there, under the names of a network of its shape."""
    model = onnx.load(path)
    stored = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    named = {name.removeprefix(prefix): array for name, array in stored.items() if name.startswith(prefix)}
    shapes = {name: tuple(weight.shape) for name, weight in network.named_parameters()}
    found = {name: array for name, array in named.items() if name in shapes}
    products = _products(model)
    gathered = [name for name in shapes if name + BYTES in named and prefix + name not in products]
    found |= {name: _whole(stored, prefix + name) for name in gathered}
    multiplied = [name for name in shapes if name not in found]
    if len(multiplied) != len(products):
        raise UserError(
            f"{path} is no export of such a network, or has a scale for each block: it cannot be gone on from"
        )
    found |= {name: _whole(stored, product).T for name, product in zip(multiplied, products, strict=True)}
    if any(array.shape != shapes[name] for name, array in found.items()):
        raise UserError(f"the model in {path} has another shape than system.backbone")
    return found


def _products(model: ModelProto) -> list[str]:
    """Return the names of the weights that are multiplied with, in order."""
    inputs = (node.input[1] for node in model.graph.node if node.op_type == PRODUCT)
    return [name.removesuffix(BYTES) for name in inputs if name.endswith(BYTES)]


def _whole(stored: dict[str, Array], name: str) -> Array:
    """Return quantised weights as numbers; scales are one for all, or one for each column."""
    bytes_ = stored[name + BYTES].astype(np.float32)
    return (bytes_ - stored[name + ZERO].astype(np.float32)) * stored[name + SCALE]
