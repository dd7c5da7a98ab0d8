"""Wrong replies to tell the right one from: what somebody said in another conversation (section 3.3).

The draw hangs on the example's name alone: the same in every epoch, on every machine and after a resume.
"""

from collections.abc import Sequence
from random import Random

from hearten.dialogue import Example

TRIES = 20
"""Blind draws before those that will do are listed."""


def distractors(examples: Sequence[Example], share: float) -> list[str | None]:
    """Draw a distractor for the given share of the examples; None for the rest, and where no other reply differs."""
    return [_distractor(example, examples, share) for example in examples]


def _distractor(example: Example, others: Sequence[Example], share: float) -> str | None:
    random = Random(f"distractor of {example.id}")
    if random.random() >= share:
        return None
    for _ in range(TRIES):
        drawn = random.choice(others)
        if _will_do(drawn, example):
            return drawn.reply.text
    fit = [other for other in others if _will_do(other, example)]
    return random.choice(fit).reply.text if fit else None


def _will_do(other: Example, example: Example) -> bool:
    is_elsewhere = _conversation(other) != _conversation(example)
    return is_elsewhere and other.reply.text.strip() != example.reply.text.strip()


def _conversation(example: Example) -> str:
    return example.id.rpartition("#")[0]
