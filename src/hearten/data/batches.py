"""Batches of similar lengths, cut by a budget of padded tokens; the same seed gives the same batches everywhere.

Bucketing follows the usual recipe: shuffle, sort large chunks by length, cut, and shuffle the batches.
"""

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

CHUNK = 64
"""How many batches' worth of examples are sorted together: more wastes less padding and mixes less."""


def shuffled(lengths: Sequence[int], budget: int, seed: Sequence[int]) -> list[list[int]]:
    """Return batches of example numbers in random order. An example beyond the budget makes a batch of its own."""
    random = np.random.default_rng(list(seed))
    order = random.permutation(len(lengths)).tolist()
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    size = max(1, round(CHUNK * budget / mean))
    chunks = (order[start : start + size] for start in range(0, len(order), size))
    batches = [batch for chunk in chunks for batch in in_order(lengths, budget, chunk)]
    return [batches[position] for position in random.permutation(len(batches))]


def in_order(lengths: Sequence[int], budget: int, chosen: Sequence[int] | None = None) -> list[list[int]]:
    """Return batches from the shortest examples to the longest."""
    numbers = range(len(lengths)) if chosen is None else chosen
    batches: list[list[int]] = []
    for number in sorted(numbers, key=lambda n: lengths[n]):
        # Sorted, so that this example is the longest of its batch and sets the padded width.
        if not batches or (len(batches[-1]) + 1) * lengths[number] > budget:
            batches.append([])
        batches[-1].append(number)
    return batches


def grouped(batches: Sequence[list[int]], size: int) -> list[list[list[int]]]:
    """Cut batches into the micro-batches of each step."""
    return [list(batches[start : start + size]) for start in range(0, len(batches), size)]


class Plan:
    """The steps of a stage: which examples in which micro-batch of which step of which epoch."""

    def __init__(self, lengths: Sequence[int], budget: int, microbatches: int, seed: Sequence[int]) -> None:
        self._lengths, self._budget, self._microbatches, self._seed = lengths, budget, microbatches, tuple(seed)

    def epoch(self, number: int) -> list[list[list[int]]]:
        """Return the steps of an epoch."""
        return grouped(shuffled(self._lengths, self._budget, (*self._seed, number)), self._microbatches)

    def steps(self) -> Iterator[tuple[int, list[list[int]]]]:
        """Yield epoch and micro-batches of every step, without end."""
        for number in count():
            for step in self.epoch(number):
                yield number, step

    def count(self, epochs: float) -> int:
        """Count the steps of so many epochs, at least one."""
        whole = int(epochs)
        steps = sum(len(self.epoch(number)) for number in range(whole))
        part = epochs - whole
        return max(1, steps + (round(part * len(self.epoch(whole))) if part else 0))
