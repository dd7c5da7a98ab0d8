"""The agent: crisis first, then reading, planning, drafting, judging and choosing; and the reasons for its choice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hearten.errors import UserError
from hearten.listener.answer import Answer, Candidate
from hearten.listener.choosing import Objections, agreement, in_order, total
from hearten.listener.flaws import flaws
from hearten.listener.generator import Draft
from hearten.listener.manner import Manner
from hearten.listener.parts import Parts, needed, require
from hearten.listener.ranking import SHARPNESS, affinity
from hearten.listener.writing import cased, steady, tidy
from hearten.reader.model import ranked
from hearten.reader.readings import Reading
from hearten.safety.answers import crisis_reply
from hearten.safety.detect import crisis
from hearten.safety.kinds import Crisis
from hearten.safety.replies import repair_reply
from hearten.system import Array, Context
from hearten.taxonomy import LABELS

OFFERED = 4
"""Replies that are looked up at once: the best of them may have been said before."""


class Agent:
    """Answers people. Safe to call from several threads if its engine is."""

    def __init__(self, parts: Parts, manner: Manner | None = None) -> None:
        self.parts, self.manner = parts, manner or Manner()
        require(self.parts, self.manner)

    def quick(self) -> "Agent":
        """Return an agent of the same parts that says the first thing it thinks of, for when many people wait."""
        one = {"candidates": min(1, self.manner.candidates), "retrieved": 1 - min(1, self.manner.candidates)}
        return Agent(self.parts, self.manner.model_copy(update={**one, "ranks": False, "reads": False}))

    def instant(self) -> "Agent":
        """Return an agent of the same parts that only looks replies up, for when too many people wait."""
        if self.parts.retriever is None:
            return self.quick()
        looked_up = {"reads": False, "plans": 0, "candidates": 0, "retrieved": OFFERED, "ranks": False}
        return Agent(self.parts, self.manner.model_copy(update=looked_up))

    def answer(self, context: Context, intent: str | None = None, seed: int = 0, country: str | None = None) -> Answer:
        """Answer one conversation, in the way that `intent` asks for if it is given."""
        return self.answer_many([context], intent, seed, country)[0]

    def answer_many(
        self, contexts: Sequence[Context], intent: str | None = None, seed: int = 0, country: str | None = None
    ) -> list[Answer]:
        """Answer several conversations together."""
        found = [self.crisis(context) for context in contexts]
        calm = [context for context, danger in zip(contexts, found, strict=True) if danger is None]
        answers = iter(self._considered(calm, intent, seed))
        return [self._helped(danger, country) if danger else next(answers) for danger in found]

    def stream(
        self, context: Context, intent: str | None = None, seed: int = 0, country: str | None = None
    ) -> Iterator[str | Answer]:
        """Give the reply piece by piece, and at the end the whole answer.

        A single candidate is shown while it is written. Of several the best is known only when all are there; then it
        is given word by word at once. The answer's text is what counts: a reply that turns out to be one that must not
        be said is replaced in it.
        """
        danger = self.crisis(context)
        if danger is None and self.is_direct:
            yield from self._written(context, intent, seed)
            return
        answer = self._helped(danger, country) if danger else self._considered([context], intent, seed)[0]
        for number, word in enumerate(answer.text.split(" ")):
            yield word if number == 0 else f" {word}"
        yield answer

    def crisis(self, context: Context) -> Crisis | None:
        """Say whether the person's last words need help at once, and of which kind."""
        said = [turn.text for turn in context if turn.role == "speaker"]
        return crisis(said[-1], said[:-1]) if self.manner.guards and said else None

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return probabilities of the 32 emotions."""
        return needed(self.parts.reader, "a reader").emotions(contexts)

    def labels(self, texts: Sequence[str]) -> Array:
        """Return probabilities of the 41 labels that an utterance may carry."""
        return needed(self.parts.reader, "a reader").labels(texts)

    def intents(self, contexts: Sequence[Context]) -> Array:
        """Return probabilities of the 41 labels that the reply may carry."""
        return needed(self.parts.reader, "a reader").intents(contexts)

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return how well each candidate would answer each context."""
        ranker = needed(self.parts.ranker, "a ranker")
        judge = self.parts.judge or self.parts.generator
        return affinity(contexts, candidates, ranker, judge, self.manner.ranking)

    @property
    def is_direct(self) -> bool:
        """Whether there is one candidate, which can be shown while it is written."""
        return self.manner.candidates == 1 and self.manner.retrieved == 0

    def _helped(self, danger: Crisis, country: str | None) -> Answer:
        return Answer(crisis_reply(danger, country), crisis=danger)

    def _written(self, context: Context, intent: str | None, seed: int) -> Iterator[str | Answer]:
        """Stream the only candidate, then judge it."""
        plans = self._plans([context], intent)[0]
        plan = next(iter(plans), None)
        draft, shown = "", ""
        for piece in needed(self.parts.generator, "a generator").stream(context, plan, self.manner.decoding, seed):
            draft += piece
            words = cased(steady(draft))
            if len(words) > len(shown):
                yield words[len(shown) :]
                shown = words
        text = tidy(draft)
        if text[len(shown) :]:
            yield text[len(shown) :]
        only = Candidate(text, plan, objection=Objections(context, self.manner.guards)(text))
        yield self._answer(context, plans, [only])

    def _considered(self, contexts: Sequence[Context], intent: str | None, seed: int) -> list[Answer]:
        if not contexts:
            return []
        plans = self._plans(contexts, intent)
        drafted = self._drafted(contexts, plans, seed)
        answers = []
        for context, chances, candidates in zip(contexts, plans, drafted, strict=True):
            found = [*candidates, *self._retrieved(context)]
            answers.append(self._answer(context, chances, self._judged(context, chances, found)))
        return answers

    def _plans(self, contexts: Sequence[Context], intent: str | None) -> list[dict[str, float]]:
        """Return for each context how a listener would respond, the likeliest ways first, with probabilities."""
        if intent is not None:
            if intent not in LABELS:
                raise UserError(f"there is no emotion or intent '{intent}'; see: hearten list emotions")
            return [{intent: 1.0}] * len(contexts)
        if self.manner.plans == 0:
            return [{}] * len(contexts)
        return [ranked(LABELS, row) for row in self.intents(contexts)]

    def _drafted(
        self, contexts: Sequence[Context], plans: Sequence[dict[str, float]], seed: int
    ) -> list[list[tuple[Candidate, Draft]]]:
        """Let the generator write the candidates of all contexts, shared out among the plans of each."""
        if self.manner.candidates == 0:
            return [[] for _ in contexts]
        tried = max(1, min(self.manner.plans, self.manner.candidates, *(len(one) or 1 for one in plans)))
        asked = [(context, plan) for context, one in zip(contexts, plans, strict=True) for plan in _first(one, tried)]
        generator = needed(self.parts.generator, "a generator")
        drafts = generator.drafts(asked, self.manner.decoding, -(-self.manner.candidates // tried), seed)
        made = [
            [(Candidate(tidy(one.text), plan), one) for one in many]
            for (_, plan), many in zip(asked, drafts, strict=True)
        ]
        return [_mixed(made[start : start + tried])[: self.manner.candidates] for start in range(0, len(made), tried)]

    def _retrieved(self, context: Context) -> list[tuple[Candidate, Draft | None]]:
        if self.manner.retrieved == 0:
            return []
        found = needed(self.parts.retriever, "a retriever").reply(context, self.manner.retrieved)
        generator = self.parts.generator if self.manner.ranks else None
        return [
            (Candidate(one.text, source=one.source), generator.draft(context, one.text) if generator else None)
            for one in found
        ]

    def _judged(
        self, context: Context, plans: dict[str, float], found: Sequence[tuple[Candidate, Draft | None]]
    ) -> list[Candidate]:
        """Drop repeated texts, note objections, and score what is left."""
        distinct = {one.text: (one, draft) for one, draft in reversed(found)}
        objection = Objections(context, self.manner.guards)
        kept = [(replace(one, objection=objection(one.text)), draft) for one, draft in reversed(distinct.values())]
        if not self.manner.ranks:
            return in_order([one for one, _ in kept], ranks=False)
        scores = self._scores(context, plans, kept)
        ranked = [
            replace(one, scores=parts, total=total(parts, self.manner.weights))
            for (one, _), parts in zip(kept, scores, strict=True)
        ]
        return in_order(ranked, ranks=True)

    def _scores(
        self, context: Context, plans: dict[str, float], kept: Sequence[tuple[Candidate, Draft | None]]
    ) -> list[dict[str, float]]:
        scores: list[dict[str, float]] = [{} for _ in kept]
        if self.parts.ranker and kept:
            vectors = self.parts.ranker.candidates([one.text for one, _ in kept])
            fits = vectors @ self.parts.ranker.contexts([context])[0]
            for one, fit, shared in zip(scores, fits, agreement(vectors), strict=True):
                one |= {"fit": SHARPNESS * float(fit), "agreement": SHARPNESS * float(shared)}
        drafts = [draft for _, draft in kept if draft]
        if self.parts.generator and len(drafts) == len(kept):
            for one, draft in zip(scores, drafts, strict=True):
                one["likelihood"] = draft.likelihood
            if self.manner.weights.genericness:  # as costly as writing them
                for one, free in zip(scores, self.parts.generator.alone(drafts), strict=True):
                    one["genericness"] = free
        said = [turn.text for turn in context if turn.role == "speaker"]
        for one, (candidate, _) in zip(scores, kept, strict=True):
            one["flaws"] = float(len(flaws(candidate.text, said)))
            if candidate.plan:
                one["plan"] = float(np.log(max(plans.get(candidate.plan, 0.0), 1e-6)))
        return scores

    def _answer(self, context: Context, plans: dict[str, float], candidates: Sequence[Candidate]) -> Answer:
        reading: Reading | None = None
        if self.parts.reader and self.manner.reads:
            reading, expected = self.parts.reader.read_and_expect(context)
            plans = plans or expected
        said = next((one.text for one in candidates if one.objection is None), None)
        text = said if said is not None else repair_reply(context, reading.label if reading else None)
        return Answer(text, reading, plans, tuple(candidates))


def _first(plans: dict[str, float], count: int) -> Sequence[str | None]:
    return list(plans)[:count] if plans else [None] * count


def _mixed(groups: Sequence[Sequence[tuple[Candidate, Draft]]]) -> list[tuple[Candidate, Draft]]:
    """Take the first of each group, then the second of each, and so on."""
    return [one for row in zip(*groups, strict=True) for one in row]
