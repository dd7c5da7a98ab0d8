"""The two encoders and the loss over a batch (section 4.1), within bounded memory.

A large batch gives each context many wrong candidates. Texts are encoded a few at a time, sorted by length, so that
little is padding; with `chunk` their activations are dropped and computed again for the gradient (Chen et al. 2016,
"Training Deep Nets with Sublinear Memory Cost"), which leaves the loss over the whole batch exact.
"""

from collections.abc import Sequence
from itertools import product

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from hearten.data.batches import in_order
from hearten.system import Array
from hearten.systems.rashkin.settings import RashkinSettings

TOGETHER = 32
"""Texts encoded at a time where nothing is computed twice."""
BUDGET = 2048
"""Padded tokens encoded at a time where nothing is learned."""
NEVER = -1e4
"""A score that leaves no chance, and yet is finite."""
ABSENT = -1
"""Fills rows of ids behind their end."""


class Tower(nn.Module):
    """A transformer whose token vectors become one."""

    def __init__(self, transformer: nn.Module, settings: RashkinSettings, padding: int) -> None:
        super().__init__()
        self.transformer = transformer
        self._is_mean, self._is_unit = settings.pooling == "mean", settings.normalise
        self.padding = padding

    def forward(self, ids: Tensor) -> Tensor:
        """Encode rows of ids, filled with `ABSENT`."""
        mask = ids != ABSENT  # (texts, tokens)
        states = self.transformer(ids.masked_fill(~mask, self.padding), attention_mask=mask.long()).last_hidden_state
        if self._is_mean:
            weights = mask.unsqueeze(-1).to(states.dtype)
            pooled = (states * weights).sum(1) / weights.sum(1)
        else:
            pooled = states[:, 0]
        return functional.normalize(pooled, dim=-1) if self._is_unit else pooled  # (texts, hidden)


class BiEncoder(nn.Module):
    """Contexts and candidates as vectors; their dot product says how well they fit."""

    def __init__(self, towers: Sequence[Tower], settings: RashkinSettings) -> None:
        super().__init__()
        self.towers = nn.ModuleList(towers)
        self._temperature, self._is_symmetric = settings.temperature, settings.symmetric
        self._chunk = settings.chunk

    @property
    def contexts(self) -> Tower:
        """The encoder of contexts."""
        return self.towers[0]  # type: ignore[return-value]

    @property
    def candidates(self) -> Tower:
        """The encoder of candidates, which may be the same."""
        return self.towers[-1]  # type: ignore[return-value]

    def forward(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the summed negative log likelihood of picking each row's own reply among those of the batch."""
        contexts = self._encoded(self.contexts, tensors["contexts"]).float()
        replies = self._encoded(self.candidates, tensors["replies"]).float()
        scores = contexts @ replies.T / self._temperature  # (contexts, candidates)
        scores = scores.masked_fill(repeated(tensors["reply_numbers"]), -torch.inf)
        own = torch.arange(len(scores), device=scores.device)
        loss = functional.cross_entropy(scores, own, reduction="sum")
        if self._is_symmetric:
            loss = (loss + functional.cross_entropy(scores.T, own, reduction="sum")) / 2
        losses = {"ranking": loss}
        if "taught_contexts" in tensors:
            theirs = tensors["taught_contexts"], tensors["taught_replies"]
            losses["taught"] = unlikeness((contexts, replies), theirs, self._temperature)
        return losses

    def _encoded(self, tower: Tower, ids: Tensor) -> Tensor:
        """Encode the rows a few at a time, the shortest first, and put the vectors back in order."""
        lengths = (ids != ABSENT).sum(1)
        order = lengths.argsort(stable=True)
        vectors = []
        for rows in torch.split(order, self._chunk or TOGETHER):
            piece = ids[rows, : int(lengths[rows].max())]
            is_light = self._chunk and torch.is_grad_enabled()
            vectors.append(checkpoint(tower, piece, use_reentrant=False) if is_light else tower(piece))
        return torch.cat(vectors)[order.argsort()]


def unlikeness(own: Sequence[Tensor], theirs: Sequence[Tensor], temperature: float) -> Tensor:
    """Return how far two encoders are from finding the same texts of a batch alike; summed over texts.

    For each text the dot products with those of its own side, and with those of the other side, are chances; the
    divergence of one encoder's from the other's is taken. `own` and `theirs` are contexts and replies.
    """
    found = []
    sides = [[side.float() for side in vectors] for vectors in (own, theirs)]
    for first, second in product(range(len(own)), repeat=2):
        student, teacher = (chances(vectors[first], vectors[second], temperature) for vectors in sides)
        found.append(functional.kl_div(student, teacher, reduction="sum", log_target=True))
    return torch.stack(found).mean()


def chances(texts: Tensor, others: Tensor, temperature: float) -> Tensor:
    """Return the log chances of each text to be taken for each other one, but never for itself. (texts, others)"""
    scores = texts @ others.T / temperature
    if texts is others:
        scores = scores.masked_fill(torch.eye(len(scores), dtype=torch.bool, device=scores.device), NEVER)
    return scores.log_softmax(-1)


def repeated(numbers: Tensor) -> Tensor:
    """Mark candidates that are the same text as the right one: they are no wrong choices. (contexts, candidates)"""
    same = numbers[:, None] == numbers[None, :]
    return same.fill_diagonal_(False)


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows of ids as a tensor."""
    ids = torch.full((len(rows), max(len(row) for row in rows)), ABSENT)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
    return ids


def embed(tower: Tower, rows: Sequence[Sequence[int]]) -> Array:
    """Return the vectors of rows of ids, without learning anything. (rows, hidden)"""
    device = next(tower.parameters()).device
    found: dict[int, Tensor] = {}
    with torch.no_grad():
        for numbers in in_order([len(row) for row in rows], BUDGET):
            vectors = tower(padded([rows[number] for number in numbers]).to(device)).float().cpu()
            found |= zip(numbers, vectors, strict=True)
    return torch.stack([found[number] for number in range(len(rows))]).numpy()
