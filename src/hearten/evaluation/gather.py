"""Asking a system everything that the metrics need, each thing once, on examples without their labels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hearten.dialogue import Dialogue, Example, Reply, Turn
from hearten.evaluation.partial import Fields, Partial
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import conversation
from hearten.system import Array, RepliesToMany, capabilities
from hearten.taxonomy import EMOTIONS, LABELS

CHUNK = 100
SHUFFLES = 5
BATCH = 64
Ask = Callable[[Sequence[Example]], list[dict[str, Any]]]


def gather(
    system: Any,
    examples: Sequence[Example],
    needs: set[str],
    seed: int = 0,
    dialogues: Sequence[Dialogue] = (),
    partial: Partial | None = None,
    shuffles: int = SHUFFLES,
    corpus_order: bool = True,
) -> list[Prediction]:
    """Return one prediction per example, with the fields of every needed capability that the system has."""
    blind = [example.blind() for example in examples]
    steps = {name: ask for name, ask in _questions(system).items() if name in needs}
    found: dict[str, dict[str, Any]] = {example.id: {} for example in examples}
    with _progress() as progress:
        for name, ask in steps.items():
            _merge(found, _in_batches(name, ask, blind, partial, progress))
        if "reads emotion" in steps and dialogues:
            last = _whole(dialogues, examples)
            read = _in_batches("reads whole dialogues", steps["reads emotion"], last, partial, progress)
            _merge(found, {identity: {"whole_emotion": fields["emotion"]} for identity, fields in read.items()})
        if "ranks" in needs and "ranks" in capabilities(system):
            orders = _orders(len(blind), seed, shuffles, corpus_order)
            hits = _rank(system, blind, orders, partial, progress)  # none where there is not even one chunk
            _merge(found, {e.id: {"hits": row} for e, row in zip(blind, hits, strict=True)})
    return [Prediction(id=identity, **fields) for identity, fields in found.items()]


def _questions(system: Any) -> dict[str, Ask]:
    able = capabilities(system)
    questions: dict[str, Ask] = {}
    if "replies" in able or "replies to many" in able:
        questions["replies"] = lambda batch: _reply(system, batch)
    if "scores likelihood" in able:
        questions["scores likelihood"] = lambda batch: [
            {"log_likelihood": float(nats), "tokens": int(tokens)} for nats, tokens in system.log_likelihood(batch)
        ]
    if "reads emotion" in able:
        questions["reads emotion"] = lambda batch: _feel(system, batch)
    if "labels utterances" in able:
        questions["labels utterances"] = lambda batch: [
            {"label": label} for label in _top(system.labels([e.reply.text for e in batch]), LABELS)
        ]
    if "plans intent" in able:
        questions["plans intent"] = lambda batch: [
            {"intent": label} for label in _top(system.intents([e.context for e in batch]), LABELS)
        ]
    return questions


def _reply(system: Any, batch: Sequence[Example]) -> list[dict[str, Any]]:
    if isinstance(system, RepliesToMany):
        best: list[Reply] = system.reply_many([example.context for example in batch])
    else:
        # a system that has nothing to say said nothing
        best = [next(iter(system.reply(example.context)), Reply("")) for example in batch]
    return [{"reply": reply.text, "source": reply.source} for reply in best]


def _feel(system: Any, batch: Sequence[Example]) -> list[dict[str, Any]]:
    found = np.asarray(system.emotions([example.context for example in batch]))
    pairs = zip(_top(found, EMOTIONS), found.max(axis=1), strict=True)
    return [{"emotion": label, "emotion_probability": round(float(likely), 6)} for label, likely in pairs]


def _top(probabilities: Array, labels: Sequence[str]) -> list[str]:
    return [labels[position] for position in np.asarray(probabilities).argmax(axis=1)]


def _in_batches(
    step: str, ask: Ask, examples: Sequence[Example], partial: Partial | None, progress: Progress
) -> dict[str, Fields]:
    """Ask about examples of like length together, the longest first, so that the time left is not underrated."""
    answers = dict(partial.done(step)) if partial else {}
    todo = sorted((e for e in examples if e.id not in answers), key=_length, reverse=True)
    bar = progress.add_task(step, total=len(examples), completed=len(examples) - len(todo))
    for start in range(0, len(todo), BATCH):
        batch = todo[start : start + BATCH]
        fresh = dict(zip((example.id for example in batch), ask(batch), strict=True))
        if partial:
            partial.add(step, fresh)
        answers |= fresh
        progress.advance(bar, len(batch))
    return answers


def _length(example: Example) -> int:
    return sum(len(turn.text) for turn in example.context)


def _merge(found: dict[str, dict[str, Any]], answers: Mapping[str, Fields]) -> None:
    for identity in found.keys() & answers.keys():
        found[identity] |= answers[identity]


def _whole(dialogues: Sequence[Dialogue], examples: Sequence[Example]) -> list[Example]:
    """Return each dialogue's turns as one context, under the id of the dialogue's last example."""
    last = {conversation(example.id): example.id for example in examples}
    nothing = Turn("listener", "")
    return [
        Example(id=last[dialogue.id], context=dialogue.turns, reply=nothing).blind()
        for dialogue in dialogues
        if dialogue.id in last
    ]


def _orders(count: int, seed: int, shuffles: int, corpus_order: bool) -> list[Array | None]:
    """Return the given order, none if it is not wanted, and seeded shuffles."""
    random = np.random.default_rng(seed)
    return [np.arange(count) if corpus_order else None, *(random.permutation(count) for _ in range(shuffles))]


def _rank(
    system: Any,
    examples: Sequence[Example],
    orders: Sequence[Array | None],
    partial: Partial | None,
    progress: Progress,
) -> list[tuple[float | None, ...]]:
    """Rank each gold reply within its chunk, in each of the orders; the last examples may fill no chunk."""
    starts = range(0, len(examples) // CHUNK * CHUNK, CHUNK)
    bar = progress.add_task("ranks", total=len(starts) * sum(order is not None for order in orders))
    columns: list[dict[str, Fields]] = []
    for number, order in enumerate(orders):
        if order is None:
            columns.append({})
            continue
        step = f"ranks in order {number}"
        column = dict(partial.done(step)) if partial else {}
        for start in starts:
            chunk = [examples[member] for member in order[start : start + CHUNK]]
            if any(example.id not in column for example in chunk):
                fresh = _ranked(system, chunk)
                column |= fresh
                if partial:
                    partial.add(step, fresh)
            progress.advance(bar)
        columns.append(column)
    return [tuple(column[one.id]["hit"] if one.id in column else None for column in columns) for one in examples]


def _ranked(system: Any, chunk: Sequence[Example]) -> dict[str, Fields]:
    scores = system.affinity([example.context for example in chunk], [example.reply.text for example in chunk])
    credits = first_place(np.asarray(scores))
    return {example.id: {"hit": credit} for example, credit in zip(chunk, credits, strict=True)}


def first_place(scores: Array) -> list[float]:
    """Credit each row whose diagonal entry is its maximum: 1, or a fair share where others tie with it."""
    own, best = np.diagonal(scores), scores.max(axis=1)
    tied = (scores == best[:, None]).sum(axis=1)
    return [float(credit) for credit in np.where(own == best, 1.0 / tied, 0.0)]


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, TextColumn("left"), TimeRemainingColumn(), console=Console(stderr=True))
