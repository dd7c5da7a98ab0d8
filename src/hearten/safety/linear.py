"""A multinomial logistic regression, fitted through the products of the examples with one another.

With far more features than examples the weights are a sum over examples, so it is enough to find one number for each
example and class. Only numpy and no randomness: the same lessons give the same weights.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearten.safety.features import Floats

STEPS = 150
RATE = 20.0
PENALTY = 3e-4


def fit(products: Floats, targets: Floats) -> Floats:
    """Return what each example adds to each class; `products` is the matrix of examples times itself.

    Accelerated gradient descent (Nesterov 1983) on cross-entropy plus `PENALTY` times half the squared weights.
    """
    mix: NDArray[Any] = np.zeros_like(targets)
    ahead = mix
    for step in range(STEPS):
        slope = (probabilities(products @ ahead) - targets) / len(products) + PENALTY * ahead
        after = ahead - RATE * slope
        ahead = after + step / (step + 3) * (after - mix)
        mix = after
    return mix.astype(np.float32)


def probabilities(scores: Floats) -> Floats:
    """Return the softmax of each row."""
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), dtype=np.float32)
