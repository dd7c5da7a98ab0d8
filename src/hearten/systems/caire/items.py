"""What CAiRE learns from: the replies of a dialogue in one sequence, each perhaps with a distractor in its place.

A causal model sees the same left of each reply whether the replies of a dialogue stand in one sequence or in one each;
so the losses are the same, and what they have in common is computed once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from hearten.dialogue import Example
from hearten.nn.reply_head import IGNORED
from hearten.system import Batch
from hearten.systems.caire.layout import Layout, Row
from hearten.taxonomy import EMOTIONS

EMOTION_NUMBER = {name: number for number, name in enumerate(EMOTIONS)}


@dataclass(frozen=True, slots=True)
class Lesson:
    """A gold reply where it stands, the distractor that could stand there, and the emotion's number."""

    gold: Row
    distractor: Row | None
    emotion: int


@dataclass(frozen=True, slots=True)
class Item:
    """Lessons each of which continues the one before: the last one's row holds them all.

    The length is that of the longest row; distractors take rows of their own.
    """

    lessons: tuple[Lesson, ...]

    @property
    def ids(self) -> list[int]:
        """The sequence with all gold replies."""
        return self.lessons[-1].gold.ids

    @property
    def distractors(self) -> list[tuple[Lesson, Row]]:
        """The distractors, each with the lesson it belongs to."""
        return [(lesson, lesson.distractor) for lesson in self.lessons if lesson.distractor]

    def __len__(self) -> int:
        return max(len(row) for row in [self.lessons[-1].gold, *(row for _, row in self.distractors)])


def lesson(layout: Layout, example: Example, distractor: str | None = None) -> Lesson:
    """Lay out an example, and the same with a distractor in the reply's place."""
    gold = layout.example(example)
    wrong = None if distractor is None else layout.row(gold.ids[: gold.begin], distractor)
    return Lesson(gold, wrong, EMOTION_NUMBER.get(example.emotion or "", IGNORED))


def chains(layout: Layout, examples: Sequence[Example]) -> list[list[int]]:
    """Group the numbers of examples that continue one another, where nothing is cut off."""
    found: list[list[int]] = []
    for number, example in enumerate(examples):
        before = examples[number - 1] if number else None
        if before and _continues(example, before) and layout.fits(before) and layout.fits(example):
            found[-1].append(number)
        else:
            found.append([number])
    return found


def _continues(later: Example, earlier: Example) -> bool:
    begun = (*earlier.context, earlier.reply)
    return later.context[: len(begun)] == begun and later.persona == earlier.persona


def collate(items: Sequence[Item], padding: int) -> Batch:
    """Pad all rows on the right: first those with the gold replies, then those of the distractors.

    Places are pairs of row and column: `emotion_at` of EMO, `gold_at` and `distractor_at` of SEN in each pair.
    """
    gold = [(row, lesson) for row, item in enumerate(items) for lesson in item.lessons]
    wrong = [(row, lesson, other) for row, item in enumerate(items) for lesson, other in item.distractors]
    ids = _padded([item.ids for item in items] + [other.ids for _, _, other in wrong], padding)
    told = [(row, lesson) for row, lesson in gold if lesson.emotion != IGNORED]
    targets = _targets(ids, gold)
    tensors = {
        "ids": ids,
        "targets": targets,
        "emotion_at": _places((row, lesson.gold.emotion_at) for row, lesson in told),
        "emotion": torch.tensor([lesson.emotion for _, lesson in told], dtype=torch.long),
        "gold_at": _places((row, lesson.gold.end_at) for row, lesson, _ in wrong),
        "distractor_at": _places((len(items) + n, other.end_at) for n, (_, _, other) in enumerate(wrong)),
    }
    counts = {"reply": int((targets != IGNORED).sum()), "selection": len(wrong), "emotion": len(told)}
    return Batch(tensors, counts)


def rows_batch(rows: Sequence[Row], padding: int) -> dict[str, Tensor]:
    """Pad rows that stand for themselves, with their targets."""
    ids = _padded([row.ids for row in rows], padding)
    targets = torch.full_like(ids, IGNORED)
    for number, row in enumerate(rows):
        _aim(targets, ids, number, row)
    return {"ids": ids, "targets": targets}


def _targets(ids: Tensor, gold: Iterable[tuple[int, Lesson]]) -> Tensor:
    targets = torch.full_like(ids, IGNORED)
    for number, one in gold:
        _aim(targets, ids, number, one.gold)
    return targets


def _aim(targets: Tensor, ids: Tensor, number: int, row: Row) -> None:
    """What stands at a place is predicted from the place before."""
    targets[number, row.emotion_at : row.emotion_at + row.learned] = ids[number, row.begin : row.begin + row.learned]


def _padded(rows: Sequence[list[int]], padding: int) -> Tensor:
    width = max(len(row) for row in rows)
    return torch.tensor([row + [padding] * (width - len(row)) for row in rows])  # (rows, length)


def _places(pairs: Iterable[tuple[int, int]]) -> Tensor:
    return torch.tensor(list(pairs), dtype=torch.long).reshape(-1, 2)
