"""Learning the labels to prepend (section 4.3) with fastText; predicting them needs numpy alone."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from hearten.data import source
from hearten.data.tokens import words
from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.retrieval.labels import Labeller
from hearten.systems.rashkin import fast_text
from hearten.systems.rashkin.settings import Prepend
from hearten.taxonomy import EMOTIONS

TOPICS = "twenty_newsgroups"
PREFIX = "__label__"
Labelled = list[tuple[str, str]]


def fit_labeller(settings: Prepend, examples: Sequence[Example], seed: int) -> Labeller:
    """Learn emotions from the situations of the examples, or topics from newsgroup posts."""
    model = fit(settings, topics() if settings.labels == "topics" else emotions(examples), seed)
    names = [label.removeprefix(PREFIX) for label in model.get_labels()]
    return Labeller(names, model.get_words(), model.get_input_matrix(), model.get_output_matrix())


def fit(settings: Prepend, labelled: Labelled, seed: int) -> Any:
    """Train fastText's own model."""
    lines = [f"{PREFIX}{label} {plain(text)}" for text, label in labelled]
    options = {"dim": settings.dimension, "epoch": settings.epochs, "lr": settings.lr, "seed": seed}
    return fast_text.learn("supervised", lines, seed, label=PREFIX, **options)


def plain(text: str) -> str:
    """Return a text as fastText reads it."""
    return " ".join(words(text))


def topics() -> Labelled:
    """Return newsgroup posts with their groups."""
    with closing(source.texts(TOPICS, "train")) as posts:
        return [(post.text, post.label) for post in posts]


def emotions(examples: Sequence[Example]) -> Labelled:
    """Return each situation once, with its emotion."""
    told = dict.fromkeys((e.situation, e.emotion) for e in examples if e.situation and e.emotion in EMOTIONS)
    if not told:
        raise UserError("no example has a situation with an emotion; train on a corpus such as empathetic_dialogues")
    return [(str(situation), str(emotion)) for situation, emotion in told]
