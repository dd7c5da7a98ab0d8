"""One optimiser step, and one look at the validation loss.

The network gives sums; dividing them by the counts of the whole step, over all micro-batches and processes, is what
makes a step mean the same however it is cut up. Each micro-batch seeds its own noise, so that dropout is the same
after a resume and on any number of processes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hearten.data.batches import in_order
from hearten.system import Batch, Trainable
from hearten.training.processes import Processes
from hearten.training.settings import Precision

STOP = "stop"
COUNT = "count/"


@dataclass(frozen=True, slots=True)
class Losses:
    """The weighted loss and its parts, each a mean over what it counts."""

    total: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Learner:
    """A system among processes: knows how to turn batches of encoded examples into gradients or into a loss."""

    system: Trainable
    processes: Processes
    seed: tuple[int, ...]
    """Names the stage; a step adds its own number."""
    precision: Precision | None = None

    def gather(self, encoded: Sequence[Any], batches: Sequence[list[int]], step: int) -> list[tuple[int, Batch]]:
        """Collate this process's micro-batches of a step."""
        mine = self.processes.share(batches)
        return [(place, self._collate(encoded, numbers, (step, place))) for place, numbers in mine]

    def counts(self, batches: Sequence[tuple[int, Batch]], stop: bool) -> tuple[dict[str, float], bool]:
        """Add up what each part averages over, and whether any process was asked to stop."""
        mine = {STOP: float(stop)}
        mine |= {COUNT + part: float(sum(b.counts.get(part, 0) for _, b in batches)) for part in self._parts}
        summed = self.processes.total(mine)
        return {part: summed[COUNT + part] for part in self._parts}, summed[STOP] > 0

    def backward(self, batches: Sequence[tuple[int, Batch]], counts: Mapping[str, float], step: int) -> Losses:
        """Leave the gradient of the whole step in the weights."""
        sums = dict.fromkeys(self._parts, 0.0)
        for place, batch in batches:
            seed_noise(*self.seed, step, place, 1)
            found = self._forward(batch)
            for part, value in found.items():
                sums[part] += value.item()
            weighted = [self._weights[p] * value / counts[p] for p, value in found.items() if counts[p]]
            if weighted:
                torch.stack(weighted).sum().backward()  # type: ignore[no-untyped-call]
        self.processes.sum_gradients(w for w in self.system.network.parameters() if w.requires_grad)
        return self._losses(self.processes.total(sums), counts)

    def judge(self, encoded: Sequence[Any], budget: int) -> Losses:
        """Return the loss on examples that are not learned from."""
        batches = in_order([len(one) for one in encoded], budget)
        sums, counts = dict.fromkeys(self._parts, 0.0), dict.fromkeys(self._parts, 0.0)
        self.system.network.eval()
        with torch.no_grad():
            for place, numbers in self.processes.share(batches):
                batch = self._collate(encoded, numbers, (0, place))
                for part, value in self._forward(batch).items():
                    sums[part] += value.item()
                    counts[part] += batch.counts[part]
        self.system.network.train()
        return self._losses(self.processes.total(sums), self.processes.total(counts))

    @property
    def _weights(self) -> Mapping[str, float]:
        return self.system.loss_weights

    @property
    def _parts(self) -> list[str]:
        return sorted(self._weights)

    def _collate(self, encoded: Sequence[Any], numbers: list[int], place: tuple[int, int]) -> Batch:
        seed_noise(*self.seed, *place, 0)
        batch = self.system.collate([encoded[number] for number in numbers])
        return batch._replace(tensors={name: t.to(self.processes.device) for name, t in batch.tensors.items()})

    def _forward(self, batch: Batch) -> dict[str, Tensor]:
        with self.processes.computing(self.precision):
            sums: dict[str, Tensor] = self.system.network(batch.tensors)
        return sums

    def _losses(self, sums: Mapping[str, float], counts: Mapping[str, float]) -> Losses:
        parts = {part: sums[part] / counts[part] for part in self._parts if counts[part]}
        return Losses(sum(self._weights[part] * value for part, value in parts.items()), parts)


def seed_noise(*place: int) -> None:
    """Seed torch's own generator, the only one that dropout listens to."""
    torch.manual_seed(int(np.random.SeedSequence(list(place)).generate_state(1)[0]))
