"""Conversations to tell apart: groups whose replies could be taken for each other's.

Of some hundred examples drawn at random, as P@1,100 draws them, those are put together whose contexts and replies an
encoder finds alike. The members of a group are each other's wrong choices, so that every text of a group is read for
all of them.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.system import Array

NEVER = -1e9
"""How alike two examples are that must not meet in a group."""


def groups(
    examples: Sequence[Example], contexts: Array, replies: Array, size: int, among: int, seed: int = 0
) -> list[list[int]]:
    """Return numbers of examples in groups of `size`; those that find no company are left out."""
    order = np.random.default_rng(seed).permutation(len(examples))
    drawn = (order[start : start + among] for start in range(0, len(order), among))
    return [group for numbers in drawn for group in _of_drawn(examples, numbers, contexts, replies, size)]


def _of_drawn(
    examples: Sequence[Example], numbers: Array, contexts: Array, replies: Array, size: int
) -> Iterator[list[int]]:
    fits = contexts[numbers] @ replies[numbers].T
    alike = np.where(_are_rivals([examples[number] for number in numbers]), fits + fits.T, NEVER)
    left = np.ones(len(numbers), dtype=bool)
    while left.sum() >= size:
        group = _around(int(np.flatnonzero(left)[0]), alike, left, size)
        left[group] = False
        if len(group) == size:
            yield [int(numbers[place]) for place in group]


def _around(first: int, alike: Array, left: Array, size: int) -> list[int]:
    """Gather those that are left around one of them, each time the one that is most like all that are there."""
    group = [first]
    company = np.where(left, alike[first], NEVER)
    while len(group) < size and company.max() > NEVER / 2:
        group.append(int(company.argmax()))
        company = company + alike[group[-1]]
    return group


def _are_rivals(examples: Sequence[Example]) -> Array:
    """Say of each two whether they are of different conversations and have different replies. (examples, examples)"""
    dialogues = np.array([example.id.rpartition("#")[0] for example in examples])
    texts = np.array([example.reply.text.strip().lower() for example in examples])
    return np.asarray((dialogues[:, None] != dialogues) & (texts[:, None] != texts))
