"""ONNX models with a byte for each weight, in the two ways that ONNX Runtime computes with.

One scale for all activations of a product is the fastest, above all with VNNI; but a few large activations of one text
then blur all texts of its batch. A scale for every `BLOCK` of them is nearer to the whole numbers and keeps texts
apart, for up to twice the time (docs/experiments.md).
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from hearten.errors import MissingExtra

try:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtra("exporting a model") from error

Scales = Literal["tensor", "block"]

BLOCK = 64
IN_BYTES = 4
"""ONNX Runtime's name for products of bytes."""


def quantise(path: Path, scales: Scales) -> None:
    """Replace a model by its 8-bit form."""
    with _quietly():
        if scales == "tensor":
            # one scale per column of weights, and 7 bits: the 8-bit products of older CPUs overflow
            quantize_dynamic(path, path, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
            return
        quantize_dynamic(path, path, weight_type=QuantType.QInt8, op_types_to_quantize=["Gather"])
        products = MatMulNBitsQuantizer(
            onnx.load(path), bits=8, block_size=BLOCK, is_symmetric=True, accuracy_level=IN_BYTES
        )
        products.process()
        products.model.save_model_to_file(str(path))


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep the quantisers from reporting on operators that are of no concern here."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
