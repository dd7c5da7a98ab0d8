"""The language-model head on reply tokens only.

A dialogue model learns from the listener's tokens, less than half of what it reads. The projection onto the
vocabulary and its softmax cost as much as several layers, so they are computed for those rows alone; the loss is
the same as with all logits, because every other row is ignored there. The speaker's tokens can be targets beside them,
with a loss of their own.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

IGNORED = -100
"""Stands in `targets` wherever nothing is to be predicted."""


def token_nats(causal_lm: Any, ids: Tensor, targets: Tensor) -> Tensor:
    """Return the negative log probability of each target, in reading order; sequences are padded on the right.

    Padding needs no mask: a causal model never looks to the right, and no target stands on padding.
    """
    hidden = causal_lm.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state  # (batch, length, hidden)
    chosen = targets != IGNORED
    logits = causal_lm.get_output_embeddings()(hidden[chosen])  # (targets, vocabulary)
    return functional.cross_entropy(logits.float(), targets[chosen], reduction="none")  # (targets,)


class ReplyLoss(nn.Module):
    """A causal language model as a network of the training loop: ids and targets in, the summed loss out."""

    def __init__(self, causal_lm: Any) -> None:
        super().__init__()
        self.causal_lm = causal_lm

    def forward(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the summed negative log probability of all targets as `reply`, and of those `spoken` if given."""
        targets = tensors["targets"]
        spoken = tensors.get("spoken")
        if spoken is None:
            return {"reply": token_nats(self.causal_lm, tensors["ids"], targets).sum()}
        both = torch.where(spoken == IGNORED, targets, spoken)
        nats = token_nats(self.causal_lm, tensors["ids"], both)
        is_spoken = (spoken != IGNORED)[both != IGNORED]
        return {"reply": nats[~is_spoken].sum(), "spoken": nats[is_spoken].sum()}

    @torch.no_grad()
    def row_nats(self, tensors: dict[str, Tensor]) -> Tensor:
        """Return the negative log probability of each row's targets together."""
        return torch.stack([row.sum() for row in self.target_nats(tensors)])

    @torch.no_grad()
    def target_nats(self, tensors: dict[str, Tensor]) -> list[Tensor]:
        """Return the negative log probability of each target, row by row."""
        targets = tensors["targets"]
        nats = token_nats(self.causal_lm, tensors["ids"], targets).double()
        return list(torch.split(nats, (targets != IGNORED).sum(1).tolist()))
