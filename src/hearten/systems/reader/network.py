"""The reader's network: an encoder, the mean of its token vectors, and a linear head for each question."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from hearten.systems.reader.settings import ReaderSettings
from hearten.taxonomy import EMOTIONS, LABELS

IGNORED, ASKED = -100, -99
"""In the place of a target: nothing is learned, or only what a teacher says."""
HEADS = {"emotion": len(EMOTIONS), "label": len(LABELS), "plan": len(LABELS)}


class Logits(NamedTuple):
    """What the heads say of each text: (texts, 32), (texts, 41) and (texts, 41)."""

    emotion: Tensor
    label: Tensor
    plan: Tensor


class ReaderNetwork(nn.Module):
    """Gives logits, and the sums of the losses."""

    def __init__(self, encoder: nn.Module, hidden: int, settings: ReaderSettings, seed: int = 0) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(settings.dropout)
        # Adam steps by the same amount however a weight is scaled; a small weight times a large factor learns faster.
        self._gain, self._smoothing = settings.head_rate, settings.smoothing
        self._temperature = settings.distil_temperature
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.heads = nn.ModuleDict({name: self._head(hidden, size) for name, size in HEADS.items()})

    def _head(self, hidden: int, size: int) -> nn.Linear:
        head = nn.Linear(hidden, size)
        nn.init.normal_(head.weight, std=0.02 / self._gain)
        nn.init.zeros_(head.bias)
        return head

    def logits(self, ids: Tensor, mask: Tensor) -> Logits:
        """Read texts: ids and mask are (texts, tokens)."""
        states: Any = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state  # (texts, tokens, hidden)
        weights = mask.unsqueeze(-1).to(states.dtype)
        pooled = self.dropout((states * weights).sum(1) / weights.sum(1))
        return Logits(*(self._gain * self.heads[name](pooled) for name in HEADS))

    def empty(self) -> Logits:
        """Return what is said of no texts at all."""
        return Logits(*(torch.zeros(0, size) for size in HEADS.values()))

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the summed loss of each head over the texts that have a target for it."""
        found = self.logits(batch["ids"], batch["mask"])
        losses = {name: self._loss(logits, batch[name]) for name, logits in found._asdict().items()}
        if "taught" in batch:
            taught = torch.split(batch["taught"], list(HEADS.values()), dim=1)
            pairs = zip(found._asdict().items(), taught, strict=True)
            losses["distil"] = torch.stack(
                [self._distil(own, theirs, batch[name]) for (name, own), theirs in pairs]
            ).sum()
        return losses

    def _loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        smoothing = self._smoothing if self.training else 0.0
        known = targets.masked_fill(targets == ASKED, IGNORED)
        return functional.cross_entropy(
            logits.float(), known, ignore_index=IGNORED, label_smoothing=smoothing, reduction="sum"
        )

    def _distil(self, own: Tensor, theirs: Tensor, targets: Tensor) -> Tensor:
        """Hinton et al. 2015, section 2: gradients of softened targets shrink by the temperature squared."""
        chosen = targets != IGNORED
        softened = (logits[chosen].float() / self._temperature for logits in (own, theirs))
        student, teacher = (logits.log_softmax(-1) for logits in softened)
        return self._temperature**2 * functional.kl_div(student, teacher, reduction="sum", log_target=True)
