"""The loss of choosing: is a conversation's own reply the one that it makes likelier than any other of its group?"""

import torch
from torch import Tensor
from torch.nn import functional

from hearten.nn.reply_head import ReplyLoss
from hearten.nn.shared_prompt import read


class Choice(ReplyLoss):
    """A causal language model that reads each reply of a group after each conversation of it, and after nothing."""

    def __init__(self, causal_lm: torch.nn.Module, sharpness: float) -> None:
        super().__init__(causal_lm)
        self._sharpness = sharpness

    def forward(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the summed loss of the choices, and of the words of the right replies.

        The rows of a group are its conversations in order, and last one without any.
        """
        nats, _ = read(self.causal_lm, tensors)  # (rows, replies)
        choices, words = [], []
        for rows in torch.split(nats, _and_one(tensors["sizes"])):
            size = len(rows) - 1
            gains = rows[:-1, :size] - rows[-1, :size]  # (conversations, replies)
            choices.append(_picking(self._sharpness * gains))
            words.append(-rows[:-1, :size].diagonal().sum())
        return {"choice": torch.stack(choices).sum(), "reply": torch.stack(words).sum()}


def _picking(scores: Tensor) -> Tensor:
    """Return the negative log chance of picking each conversation's reply, and each reply's conversation."""
    own = torch.arange(len(scores), device=scores.device)
    both = [functional.cross_entropy(one, own, reduction="sum") for one in (scores, scores.T)]
    return torch.stack(both).mean()


def _and_one(sizes: Tensor) -> list[int]:
    return [int(size) + 1 for size in sizes]
