"""What the reader learns from: texts with a target for one or more of its heads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hearten.dialogue import Example
from hearten.reader.model import Reader
from hearten.system import Array
from hearten.systems.reader.network import ASKED, HEADS, IGNORED
from hearten.systems.reader.settings import ReaderSettings
from hearten.taxonomy import EMOTIONS, LABELS

EMOTION_NUMBER = {name: number for number, name in enumerate(EMOTIONS)}
LABEL_NUMBER = {name: number for number, name in enumerate(LABELS)}
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The turns of a conversation, or one text, and the numbers of its targets; `IGNORED` where there is none, `ASKED`
    where only a teacher knows it."""

    texts: Texts
    emotion: int = IGNORED
    label: int = IGNORED
    plan: int = IGNORED
    """The label of the reply that followed."""


@dataclass(frozen=True, slots=True)
class Item:
    """A lesson as ids, with the logits of a teacher (head after head) if there is one."""

    ids: list[int]
    emotion: int
    label: int
    plan: int
    taught: Array | None = None

    def __len__(self) -> int:
        return len(self.ids)


def lessons(examples: Sequence[Example], settings: ReaderSettings) -> list[Lesson]:
    """Return a lesson for each context with an emotion, each reply with a label, each situation, and each view once.

    A text that several of them hold, such as a situation that is a labelled text too, is read once for all its heads.
    """
    found: dict[Texts, Lesson] = {}
    again = []
    for lesson in _lessons(examples, settings):
        both = _joined(found.get(lesson.texts, Lesson(lesson.texts)), lesson)
        if both:
            found[lesson.texts] = both
        else:
            again.append(lesson)
    return [*found.values(), *again]


def _joined(one: Lesson, other: Lesson) -> Lesson | None:
    """Return a lesson with the targets of both, or nothing where both have a target for the same head."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in HEADS]
    if any(min(pair) >= 0 for pair in pairs):
        return None
    return Lesson(one.texts, **{name: max(pair) for name, pair in zip(HEADS, pairs, strict=True)})


def _lessons(examples: Sequence[Example], settings: ReaderSettings) -> Iterator[Lesson]:
    for example, plan in zip(examples, _plans(examples, settings.plans), strict=True):
        emotion = EMOTION_NUMBER.get(example.emotion or "", IGNORED)
        if example.context and (emotion, plan) != (IGNORED, IGNORED):
            yield Lesson(tuple(turn.text for turn in example.context), emotion, plan=plan)
        if example.reply.label in LABEL_NUMBER:
            yield Lesson((example.reply.text,), label=LABEL_NUMBER[example.reply.label])
    if settings.situations:
        yield from _situations(examples, settings.situations_as_labels)
    if settings.views:
        yield from _views(examples)


def _plans(examples: Sequence[Example], labeller: str | None) -> list[int]:
    """Return the number of each reply's label, asking a reader where the corpus gives none."""
    given = [LABEL_NUMBER.get(example.reply.label or "", IGNORED) for example in examples]
    unknown = [number for number, example in enumerate(examples) if example.context and given[number] == IGNORED]
    if labeller and unknown:
        reader = Reader.load(None if labeller == "shipped" else Path(labeller))
        found = reader.labels([examples[number].reply.text for number in unknown]).argmax(axis=1)
        for number, label in zip(unknown, found, strict=True):
            given[number] = int(label)
    return given


def _situations(examples: Iterable[Example], are_labels: bool) -> Iterator[Lesson]:
    seen = dict.fromkeys((example.situation, example.emotion) for example in examples)
    for situation, emotion in seen:
        if situation is not None and emotion in EMOTION_NUMBER:
            label = LABEL_NUMBER[emotion] if are_labels else IGNORED
            yield Lesson((situation,), EMOTION_NUMBER[emotion], label)


def _views(examples: Iterable[Example]) -> Iterator[Lesson]:
    """Yield each turn by itself, and what the speaker said in several turns without the listener's."""
    for example in examples:
        if not example.context:
            continue
        for turn in (*example.context, example.reply):
            yield Lesson((turn.text,), ASKED if turn.role == "speaker" else IGNORED, ASKED)
        told = tuple(turn.text for turn in example.context if turn.role == "speaker")
        if len(told) > 1:
            yield Lesson(told, ASKED)
