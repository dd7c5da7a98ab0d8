"""The words the whole project speaks in: turns, dialogues, examples and replies.

Plain frozen data, without reading, writing or learning. A *speaker* tells what happened; a *listener* answers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Role = Literal["speaker", "listener"]
Sides = Literal["listener", "both"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `label` is one of the 41 emotions and intents where somebody annotated the turn."""

    role: Role
    text: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation with whatever its corpus says of it as a whole."""

    id: str
    turns: tuple[Turn, ...]
    emotion: str | None = None
    situation: str | None = None
    persona: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A context and the gold reply to it; what one training step or one test item is made of."""

    id: str
    context: tuple[Turn, ...]
    reply: Turn
    emotion: str | None = None
    situation: str | None = None
    persona: tuple[str, ...] = ()

    def blind(self) -> "Example":
        """Return the example without the labels that no responding model may see at test time."""
        hidden = replace(self.reply, label=None)
        seen = tuple(replace(turn, label=None) for turn in self.context)
        return replace(self, context=seen, reply=hidden, emotion=None, situation=None)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text that carries one label: a situation, an utterance, a newsgroup post."""

    id: str
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a system answers. `source` names the corpus turn (or file line) that the text quotes word for word."""

    text: str
    score: float = 0.0
    source: str | None = None


def examples(dialogue: Dialogue, sides: Sides = "listener", window: int | None = None) -> Iterator[Example]:
    """Yield an example for each turn that has a context, keeping the last `window` turns of it (all when None)."""
    for position, turn in enumerate(dialogue.turns):
        if position == 0 or (sides == "listener" and turn.role != "listener"):
            continue
        start = 0 if window is None else max(0, position - window)
        yield Example(
            id=turn_id(dialogue, position),
            context=dialogue.turns[start:position],
            reply=turn,
            emotion=dialogue.emotion,
            situation=dialogue.situation,
            persona=dialogue.persona,
        )


def turn_id(dialogue: Dialogue, position: int) -> str:
    """Name a turn for ever: the dialogue's own name and the turn's number, counted from 1 as the corpora do."""
    return f"{dialogue.id}#{position + 1}"


def joined(context: Sequence[Turn], separator: str = " ") -> str:
    """Return the texts of a context as one string."""
    return separator.join(turn.text for turn in context)
