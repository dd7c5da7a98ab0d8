"""A conversation read twice: whole, and what the speaker said without the listener's turns.

The listener's turns help in one place and mislead in another, and so both readings together are right more often than
either. Where the speaker alone has spoken, the conversation is read once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hearten.dialogue import Turn
from hearten.reader.evidence import Texts
from hearten.reader.session import Session
from hearten.system import Array

HEAD = "emotion"
"""The question that is asked of both; plans answer the listener too, and labels are asked of single texts."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The texts of a conversation, and which of them are the speaker's."""

    texts: Texts
    is_spoken: tuple[bool, ...]

    @classmethod
    def of_turns(cls, turns: Sequence[Turn]) -> Self:
        """Take over who said what."""
        return cls(tuple(turn.text for turn in turns), tuple(turn.role == "speaker" for turn in turns))

    @classmethod
    def alternating(cls, texts: Texts) -> Self:
        """Take the texts for turns that alternate, the speaker's first."""
        return cls(texts, tuple(place % 2 == 0 for place in range(len(texts))))

    @property
    def spoken(self) -> Texts:
        """The speaker's turns."""
        return tuple(text for text, is_spoken in zip(self.texts, self.is_spoken, strict=True) if is_spoken)


def alone(session: Session, talks: Sequence[Talk], whole: Array) -> Array:
    """Return logits for what the speaker said alone; those of the whole where nobody else, or nobody, spoke."""
    several = [row for row, talk in enumerate(talks) if any(talk.is_spoken) and not all(talk.is_spoken)]
    found = np.array(whole)
    if several:
        found[several] = session.logits([talks[row].spoken for row in several])[HEAD]
    return found


def mixed(whole: Array, alone: Array, weight: float) -> Array:
    """Return the mean of both logits, those of the whole weighing 1."""
    return np.asarray((whole + weight * alone) / (1 + weight))
