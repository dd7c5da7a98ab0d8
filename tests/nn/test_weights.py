"""Weights to arrays and back."""

import numpy as np
import pytest
import torch
from torch import nn

from hearten.errors import UserError
from hearten.nn.weights import arrays, fill


class Tied(nn.Module):
    """Two names for one matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.words.weight


def test_tied_weights_are_stored_once_and_come_back_tied() -> None:
    module, other = Tied(), Tied()
    stored = arrays(module)
    assert list(stored) == ["words.weight"]
    fill(other, stored)
    assert torch.equal(other.head.weight, module.words.weight)
    assert other.head.weight is other.words.weight


def test_weights_that_do_not_fit_are_refused_and_the_first_of_them_named() -> None:
    with pytest.raises(UserError, match=r"missing words\.weight; unexpected other; train"):
        fill(Tied(), {"other": np.zeros(3, dtype=np.float32)})
    deep = nn.Sequential(*(nn.Linear(2, 2) for _ in range(50)))
    with pytest.raises(UserError, match=r"missing 0\.bias, 0\.weight, 1\.bias and 97 more; unexpected bias, weight;"):
        fill(deep, arrays(nn.Linear(2, 2)))
