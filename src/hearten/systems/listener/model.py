"""listener: the default agent as a system, to be trained for, evaluated and compared like any other.

It learns nothing itself. Its parts do, each as a system of its own: the `reader` reads and plans, `plannedlm` writes,
`rashkin` says how well a reply fits. Here they are put together (see `hearten.listener.agent`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from hearten.artifacts import folder
from hearten.config import Json
from hearten.decoding import Decoding
from hearten.dialogue import Example, Reply
from hearten.errors import UserError
from hearten.listener.agent import Agent
from hearten.listener.answer import Answer
from hearten.listener.load import parts
from hearten.system import Array, Context, Judges, System
from hearten.systems.bm25.model import Bm25
from hearten.systems.listener.settings import ListenerSettings

TOGETHER = 16
"""Conversations that are answered together."""


class Listener(System):
    """Answers with the best of several candidates, and knows why."""

    Config = ListenerSettings

    def __init__(self, settings: ListenerSettings, retriever: Bm25 | None) -> None:
        self._retriever, self.seed = retriever, 0
        found = parts(settings.parts, settings.manner, retriever)
        self.agent = Agent(replace(found, judge=_judge(settings.judge)), settings.manner)
        if self.agent.parts.ranker:
            self.affinity = self.agent.affinity  # without a ranker it cannot put replies of others in order

    @property
    def decoding(self) -> Decoding:
        """How the generator makes its drafts."""
        return self.agent.manner.decoding

    @decoding.setter
    def decoding(self, chosen: Decoding) -> None:
        self.agent.manner = self.agent.manner.model_copy(update={"decoding": chosen})

    @classmethod
    def prepare(cls, config: ListenerSettings, examples: Sequence[Example], seed: int) -> Self:
        """Put the agent together, and index the examples if replies are to be looked up."""
        return cls(config, Bm25.prepare(config.retriever, examples, seed) if config.retriever else None)

    def assets(self) -> dict[str, Json]:
        """Return those of the retriever; the other parts are named by the settings."""
        return self._retriever.assets() if self._retriever else {}

    def tensors(self) -> dict[str, Array]:
        """Return those of the retriever."""
        return self._retriever.tensors() if self._retriever else {}

    @classmethod
    def restore(cls, config: ListenerSettings, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Put the agent together again."""
        return cls(config, Bm25.restore(config.retriever, assets, tensors) if config.retriever else None)

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return the reply, and the next best candidates that may be said."""
        return _replies(self.agent.answer(context, seed=self.seed))[:n]

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        """Return the reply to each context."""
        return [_replies(answer)[0] for answer in self.answer_many(contexts)]

    def answer_many(self, contexts: Sequence[Context], intent: str | None = None) -> list[Answer]:
        """Answer several conversations, with reasons."""
        starts = range(0, len(contexts), TOGETHER)
        return [
            answer
            for start in starts
            for answer in self.agent.answer_many(contexts[start : start + TOGETHER], intent, self.seed)
        ]

    def reply_with(self, context: Context, intent: str, n: int = 1) -> list[Reply]:
        """Return replies that carry an emotion or intent."""
        return _replies(self.agent.answer(context, intent, self.seed))[:n]

    def stream(
        self, context: Context, intent: str | None = None, seed: int = 0, country: str | None = None
    ) -> Iterator[str | Answer]:
        """Give the reply piece by piece, and in the end the whole answer with its reasons."""
        return self.agent.stream(context, intent, seed, country)

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return probabilities of the 32 emotions."""
        return self.agent.emotions(contexts)

    def labels(self, texts: Sequence[str]) -> Array:
        """Return probabilities of the 41 labels."""
        return self.agent.labels(texts)


def _judge(name: str | None) -> Judges | None:
    if name is None:
        return None
    system = folder.load(Path(name))
    if not isinstance(system, Judges):
        raise UserError(f"{name} does not judge replies; name the folder of a trained caire")
    return system


def _replies(answer: Answer) -> list[Reply]:
    others = [one for one in answer.candidates if one.objection is None and one.text != answer.text]
    said = next((one for one in answer.candidates if one.text == answer.text), None)
    first = Reply(answer.text, said.total if said else 0.0, said.source if said else None)
    return [first, *(Reply(one.text, one.total, one.source) for one in others)]
