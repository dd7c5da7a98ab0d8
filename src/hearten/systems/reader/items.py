"""What the reader learns from: single texts with a target for one or both of its heads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hearten.dialogue import Example
from hearten.system import Array
from hearten.systems.reader.network import IGNORED
from hearten.systems.reader.settings import ReaderSettings
from hearten.taxonomy import EMOTIONS, LABELS

EMOTION_NUMBER = {name: number for number, name in enumerate(EMOTIONS)}
LABEL_NUMBER = {name: number for number, name in enumerate(LABELS)}
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The turns of a conversation, or one text, and the number of its emotion and label; `IGNORED` where none."""

    texts: Texts
    emotion: int = IGNORED
    label: int = IGNORED


@dataclass(frozen=True, slots=True)
class Item:
    """A lesson as ids, with the logits of a teacher (emotions, then labels) if there is one."""

    ids: list[int]
    emotion: int
    label: int
    taught: Array | None = None

    def __len__(self) -> int:
        return len(self.ids)


def lessons(examples: Sequence[Example], settings: ReaderSettings) -> Iterator[Lesson]:
    """Yield a lesson for each context with an emotion, each reply with a label, and each situation once."""
    for example in examples:
        if example.context and example.emotion in EMOTION_NUMBER:
            yield Lesson(tuple(turn.text for turn in example.context), emotion=EMOTION_NUMBER[example.emotion])
        if example.reply.label in LABEL_NUMBER:
            yield Lesson((example.reply.text,), label=LABEL_NUMBER[example.reply.label])
    if settings.situations:
        yield from _situations(examples, settings.situations_as_labels)


def _situations(examples: Iterable[Example], are_labels: bool) -> Iterator[Lesson]:
    seen = dict.fromkeys((example.situation, example.emotion) for example in examples)
    for situation, emotion in seen:
        if situation is not None and emotion in EMOTION_NUMBER:
            label = LABEL_NUMBER[emotion] if are_labels else IGNORED
            yield Lesson((situation,), EMOTION_NUMBER[emotion], label)
