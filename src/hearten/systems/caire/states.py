"""Dialogue-state embeddings (section 3.3): is a token part of the persona, of the speaker's words or of the listener's?

A token's state follows from the ids alone: it is that of the last separator up to it. They are added where words are
embedded, so that whatever runs the language model gets them, with positions added by the model in its own way.
"""

import torch
from torch import Tensor, nn

from hearten.systems.caire.separators import Separators

PERSONA, SPEAKER, LISTENER = range(3)


class StateEmbedding(nn.Module):
    """The words' embedding plus that of their state, which begins at zero: at first the model is what it was."""

    openings: Tensor

    def __init__(self, words: nn.Embedding, known: Separators) -> None:
        super().__init__()
        self.words = words
        self.states = nn.Embedding(3, words.embedding_dim)
        nn.init.zeros_(self.states.weight)
        self.register_buffer("openings", torch.tensor([known.start, known.speaker, known.listener]), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Embed ids of shape (batch, length)."""
        embedded: Tensor = self.words(ids) + self.states(self.state_ids(ids))
        return embedded  # (batch, length, hidden)

    def state_ids(self, ids: Tensor) -> Tensor:
        """Return the state of each token; what no separator precedes goes on with the listener's reply."""
        opens = ids.unsqueeze(-1) == self.openings  # (batch, length, 3)
        places = torch.arange(ids.shape[1], device=ids.device).masked_fill(~opens.any(-1), -1)  # (batch, length)
        latest = places.cummax(1).values
        opened = opens.int().argmax(-1).gather(1, latest.clamp(min=0))
        return opened.masked_fill(latest < 0, LISTENER)
