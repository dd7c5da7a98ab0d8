"""All that the algorithms know of a model."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor


class Stepper(Protocol):
    """A model that reads prompts and then goes on token by token; it keeps the state of its rows itself.

    A row that is finished or dropped is simply not continued, and one that branches is continued several times.
    """

    def start(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        """Read prompts, one row each, and return the logits of what comes next: (prompts, vocabulary)."""
        ...

    def step(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Replace the rows: the new row i continues the old row `rows[i]` with `tokens[i]`; return logits again."""
        ...
