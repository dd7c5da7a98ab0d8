"""The agent's language model: an engine and the layout of what it reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hearten.chatml import Layout
from hearten.decoding import Decoding
from hearten.engines.engine import Engine, Generated, Pair
from hearten.system import Context, Judgement, LogLikelihood

NOT_YET = "\ufffd"
"""What a tokenizer shows for the first bytes of a character whose last ones are still to come."""


@dataclass(frozen=True)
class Draft:
    """A generated reply and how likely a token of it was."""

    text: str
    ids: tuple[int, ...]
    likelihood: float


class Generator:
    """Writes replies, and says how likely replies are."""

    def __init__(self, engine: Engine, layout: Layout) -> None:
        self._engine, self._layout = engine, layout

    def drafts(
        self, asked: Sequence[tuple[Context, str | None]], decoding: Decoding, n: int, seed: int
    ) -> list[list[Draft]]:
        """Return `n` drafts for each context and plan."""
        prompts = [self._layout.prompt(context, plan) for context, plan in asked]
        found = self._engine.generate(prompts, decoding, n, seed)
        lacking = [one for drafts in found for one in drafts if one.nats is None]
        if lacking:
            return self._scored(prompts, found)
        return [[self._draft(one, float(one.nats or 0.0)) for one in drafts] for drafts in found]

    def stream(self, context: Context, plan: str | None, decoding: Decoding, seed: int) -> Iterator[str]:
        """Give the text of one reply piece by piece."""
        ids: list[int] = []
        told = ""
        for token in self._engine.stream(self._layout.prompt(context, plan), decoding, seed):
            ids.append(token)
            text = self._layout.text(ids)
            if not text.endswith(NOT_YET) and text != told:
                yield text[len(told) :]
                told = text

    def alone(self, drafts: Sequence[Draft]) -> list[float]:
        """Return how likely a token of each draft is when nothing was said before it."""
        prompt = self._layout.prompt([])
        found = self._engine.score([Pair(prompt, one.ids) for one in drafts])
        return [one.nats / one.tokens for one in found]

    def score(self, contexts: Sequence[Context], texts: Sequence[str]) -> list[LogLikelihood]:
        """Return the log likelihood of replies to contexts, without a plan."""
        pairs = zip(contexts, texts, strict=True)
        return self._engine.score([Pair(self._layout.prompt(c), self._layout.reply_ids(text)) for c, text in pairs])

    def judge(self, context: Context, replies: Sequence[str]) -> Judgement:
        """Return how likely each reply is; whether it belongs here the generator never learned to say."""
        found = self.score([context] * len(replies), replies)
        return Judgement(np.array([one.nats for one in found]), np.zeros(len(replies)))

    def draft(self, context: Context, text: str) -> Draft:
        """Return somebody else's reply as if it were a draft."""
        (found,) = self.score([context], [text])
        return Draft(text, tuple(self._layout.reply_ids(text)), found.nats / found.tokens)

    def close(self) -> None:
        """Free what the engine holds."""
        self._engine.close()

    def _draft(self, one: Generated, nats: float) -> Draft:
        return Draft(self._layout.text(one.ids), one.ids, nats / (len(one.ids) + 1))

    def _scored(self, prompts: Sequence[Sequence[int]], found: Sequence[Sequence[Generated]]) -> list[list[Draft]]:
        pairs = [Pair(prompt, one.ids) for prompt, drafts in zip(prompts, found, strict=True) for one in drafts]
        scores = iter(self._engine.score(pairs))
        return [[self._draft(one, next(scores).nats) for one in drafts] for drafts in found]
