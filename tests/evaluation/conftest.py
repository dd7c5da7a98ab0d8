"""Toy systems and examples for evaluation tests: small, real, and without a network."""

from collections.abc import Sequence

import numpy as np
import pytest

from hearten.dialogue import Dialogue, Example, Reply, Turn, examples
from hearten.system import Array, Context, LogLikelihood
from hearten.taxonomy import EMOTIONS, LABELS


class Parrot:
    """Says the last turn back, and quotes a corpus turn when it is told to."""

    def __init__(self, source: str | None = None) -> None:
        self.source = source
        self.asked: list[Context] = []

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        self.asked.append(context)
        return [Reply(context[-1].text, source=self.source)]


class AllRounder:
    """Can do everything: uniform likelihood, a fixed feeling, ranks by the number that ends every text."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        self.batches.append(len(contexts))
        return [Reply(f"I hear you, {context[-1].text}") for context in contexts]

    def log_likelihood(self, examples: Sequence[Example]) -> list[LogLikelihood]:
        return [LogLikelihood(-4.0, 2) for _ in examples]

    def emotions(self, contexts: Sequence[Context]) -> Array:
        return np.tile(np.eye(32)[EMOTIONS.index("proud")], (len(contexts), 1))

    def intents(self, contexts: Sequence[Context]) -> Array:
        return np.tile(np.eye(41)[LABELS.index("questioning")], (len(contexts), 1))

    def labels(self, texts: Sequence[str]) -> Array:
        return np.stack([np.eye(41)[LABELS.index("questioning" if "what" in text else "proud")] for text in texts])

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        wanted = [context[-1].text.split()[-1] for context in contexts]
        return np.array([[float(text.split()[-1] == number) for text in candidates] for number in wanted])


@pytest.fixture
def dialogues() -> list[Dialogue]:
    """120 dialogues of two exchanges; the feeling alternates."""
    return [
        Dialogue(
            id=f"hit:{n}_conv:{n}",
            turns=(
                Turn("speaker", f"something happened {n}"),
                Turn("listener", f"what was it {n}", "questioning"),
                Turn("speaker", f"it was big {n}.5"),
                Turn("listener", f"I am glad for you {n}.5", "proud"),
            ),
            emotion="proud" if n % 2 else "sad",
            situation="a secret",
        )
        for n in range(120)
    ]


@pytest.fixture
def gold(dialogues: list[Dialogue]) -> list[Example]:
    """The listener examples of the dialogues."""
    return [example for dialogue in dialogues for example in examples(dialogue)]


@pytest.fixture
def all_rounder() -> AllRounder:
    """A system with every capability."""
    return AllRounder()


@pytest.fixture
def parrot() -> Parrot:
    """A system that only replies, one context at a time."""
    return Parrot()


@pytest.fixture
def quoting_parrot() -> Parrot:
    """A system whose replies quote a corpus turn."""
    return Parrot(source="hit:0_conv:0#1")
