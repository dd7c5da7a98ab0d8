"""The processes of a run, through Accelerate: one by default, several under `accelerate launch`.

Gradients are summed here rather than averaged by a wrapper around the network, because processes may hold different
numbers of micro-batches and each loss is already divided by the counts of the whole step.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import torch
from accelerate import Accelerator
from torch import Tensor, nn

from hearten.training.settings import Precision

Item = TypeVar("Item")


class Processes:
    """What this process is among its like, and how they add up."""

    def __init__(self) -> None:
        # Without a word about the CPU, processes of a machine without a GPU would not find each other.
        self._accelerator = Accelerator(cpu=not torch.accelerator.is_available())
        self._count: int = self._accelerator.num_processes
        self.device: torch.device = self._accelerator.device
        self.is_main: bool = self._accelerator.is_main_process

    def share(self, items: Sequence[Item]) -> list[tuple[int, Item]]:
        """Return this process's part of a list, each with its place in the whole."""
        return list(enumerate(items))[self._accelerator.process_index :: self._count]

    def total(self, values: Mapping[str, float]) -> dict[str, float]:
        """Add values up over all processes; every process must name the same ones."""
        if self._count == 1:
            return dict(values)
        names = sorted(values)
        mine = torch.tensor([values[name] for name in names], dtype=torch.float64, device=self.device)
        summed: list[float] = self._accelerator.reduce(mine, "sum").tolist()
        return dict(zip(names, summed, strict=True))

    def sum_gradients(self, weights: Iterable[Tensor]) -> None:
        """Add gradients up over all processes; a weight that nobody used stays without one."""
        if self._count == 1:
            return
        listed = list(weights)
        used = self._accelerator.reduce(torch.tensor([float(w.grad is not None) for w in listed]), "sum")
        for weight, users in zip(listed, used.tolist(), strict=True):
            if users:
                mine = torch.zeros_like(weight) if weight.grad is None else weight.grad
                weight.grad = self._accelerator.reduce(mine, "sum")

    def place(self, network: nn.Module) -> nn.Module:
        """Move a network to where it computes."""
        return network.to(self.device)

    def computing(self, precision: Precision | None) -> AbstractContextManager[Any]:
        """Return the context in which forward passes run: in this precision, or in that of the launch."""
        if precision:
            return torch.autocast(self.device.type, torch.bfloat16, enabled=precision == "bf16")
        context: AbstractContextManager[Any] = self._accelerator.autocast()
        return context

    def wait(self) -> None:
        """Wait until all processes are here."""
        self._accelerator.wait_for_everyone()
