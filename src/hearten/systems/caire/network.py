"""The network: a causal language model that knows dialogue states, and two linear classifiers on its states."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from hearten.nn.reply_head import IGNORED, ReplyLoss
from hearten.systems.caire.separators import Separators
from hearten.systems.caire.states import StateEmbedding
from hearten.taxonomy import EMOTIONS


class CaireNetwork(nn.Module):
    """Gives the sums of the three losses, and at inference what each head says."""

    def __init__(self, causal_lm: Any, known: Separators, dropout: float, seed: int = 0) -> None:
        super().__init__()
        causal_lm.set_input_embeddings(StateEmbedding(causal_lm.get_input_embeddings(), known))
        self.causal_lm = causal_lm
        self.dropout = nn.Dropout(dropout)
        hidden = causal_lm.config.hidden_size
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.emotion, self.selection = _head(hidden, len(EMOTIONS)), _head(hidden, 1)

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.emotion.weight.device

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the parts of L = alpha L_L + L_S + L_E, each summed over the batch."""
        hidden = self.hidden(batch["ids"])
        emotions = self.emotion(self.dropout(_at(hidden, batch["emotion_at"])))  # (lessons, 32)
        return {
            "reply": self._reply(hidden, batch["targets"]),
            "selection": self._selection(hidden, batch["gold_at"], batch["distractor_at"]),
            "emotion": functional.cross_entropy(emotions.float(), batch["emotion"], reduction="sum"),
        }

    def hidden(self, ids: Tensor) -> Tensor:
        """Return the last layer's states; rows are padded on the right, which a causal model does not see."""
        found: Tensor = self.causal_lm.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state
        return found  # (rows, length, hidden)

    def _reply(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Return L_L; the vocabulary is projected on for the tokens of replies alone."""
        chosen = targets != IGNORED
        logits = self.causal_lm.get_output_embeddings()(hidden[chosen])  # (targets, vocabulary)
        return functional.cross_entropy(logits.float(), targets[chosen], reduction="sum")

    def _selection(self, hidden: Tensor, gold_at: Tensor, distractor_at: Tensor) -> Tensor:
        """Return L_S: which of the two is the reply?"""
        states = torch.stack([_at(hidden, gold_at), _at(hidden, distractor_at)], 1)  # (pairs, 2, hidden)
        logits = self.selection(self.dropout(states)).squeeze(-1)  # (pairs, 2)
        return functional.cross_entropy(logits.float(), gold_at.new_zeros(len(gold_at)), reduction="sum")

    @torch.no_grad()
    def row_nats(self, batch: dict[str, Tensor]) -> Tensor:
        """Return the negative log probability of each row's targets together."""
        return ReplyLoss(self.causal_lm).row_nats(batch)

    @torch.no_grad()
    def read(self, head: nn.Linear, ids: Tensor, lengths: Tensor) -> Tensor:
        """Return what a head says at the last token of each row."""
        last = self.hidden(ids)[torch.arange(len(ids), device=ids.device), lengths - 1]
        said: Tensor = head(last)
        return said.float()


def _at(hidden: Tensor, places: Tensor) -> Tensor:
    """Pick the states at pairs of row and column."""
    return hidden[places[:, 0], places[:, 1]]


def _head(hidden: int, size: int) -> nn.Linear:
    head = nn.Linear(hidden, size)
    nn.init.normal_(head.weight, std=0.02)
    nn.init.zeros_(head.bias)
    return head
