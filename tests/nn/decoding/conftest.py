"""Two models to decode: a table that can be computed by hand, and a tiny random Llama."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from hearten.nn.decoding import Stepper


class TableStepper:
    """A model whose next token depends on the last one, and in a table of tables on the place too.

    It notes how many rows it was asked for each time.
    """

    def __init__(self, table: Tensor) -> None:
        self.table = table if table.dim() == 3 else table.expand(100, *table.shape)  # (place, last token, next token)
        self.counts: list[int] = []

    def start(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        self.counts = [len(prompts)]
        return self.table[0, torch.tensor([prompt[-1] for prompt in prompts])]

    def step(self, tokens: Tensor, rows: Tensor) -> Tensor:
        assert rows.max() < self.counts[-1], "a row that does not exist is continued"
        self.counts.append(len(rows))
        return self.table[len(self.counts) - 1, tokens]


@pytest.fixture
def stepper_of() -> Callable[[Tensor], Stepper]:
    """Make a stepper of a table of logits, (last token, next token), or of one such table for each place."""
    return TableStepper


def random_llama(seed: int) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    shape = {"vocab_size": 24, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2}
    config = LlamaConfig(**shape, num_attention_heads=2, initializer_range=0.6, bos_token_id=None, eos_token_id=None)
    return LlamaForCausalLM(config).eval()


@pytest.fixture
def llama() -> Callable[[int], LlamaForCausalLM]:
    """Make a Llama from a seed, with logits far enough from each other to be told apart after rounding."""
    return random_llama
