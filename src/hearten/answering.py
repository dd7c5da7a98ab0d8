"""Contexts from a file, answered one batch after another: for scripts and studies.

A line is a JSON object with a `context`: the turns as texts, the speaker first and then in alternation, or as objects
with `role` and `text`. An `id` is kept, an `intent` says how to respond. Systems answer as they are, so that they can
be studied; only the agent guards its words by itself.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hearten.conversation import Explains
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.listener.answer import Answer
from hearten.system import Context, Replies, RepliesToMany, System, TakesIntent
from hearten.taxonomy import LABELS

TOGETHER = 16
"""Contexts that are answered together."""
KNOWN = {"id", "context", "intent"}


@dataclass(frozen=True, slots=True)
class Question:
    """A context to be answered."""

    context: tuple[Turn, ...]
    id: str | None = None
    intent: str | None = None


def read_questions(lines: Iterable[str]) -> Iterator[Question]:
    """Read JSON lines; empty ones are skipped, and a bad one is named by its number."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _question(f"line {number}", line)


def answers(system: System, questions: Iterable[Question]) -> Iterator[dict[str, Any]]:
    """Answer questions in their order, as tables that JSON can hold."""
    waiting = iter(questions)
    while batch := list(islice(waiting, TOGETHER)):
        for question, table in zip(batch, _answered(system, batch), strict=True):
            yield ({"id": question.id} if question.id is not None else {}) | table


def _answered(system: System, batch: Sequence[Question]) -> list[dict[str, Any]]:
    """Answer those together that ask for the same intent."""
    found: dict[int, Answer] = {}
    for intent in dict.fromkeys(one.intent for one in batch):
        numbers = [number for number, one in enumerate(batch) if one.intent == intent]
        found |= zip(numbers, _asked(system, [batch[number].context for number in numbers], intent), strict=True)
    return [found[number].table() for number in range(len(batch))]


def _asked(system: System, contexts: Sequence[Context], intent: str | None) -> list[Answer]:
    if isinstance(system, Explains):
        return system.answer_many(contexts, intent)
    if intent is not None:
        if not isinstance(system, TakesIntent):
            raise UserError("this system cannot be told how to respond; leave the intent out, or choose another system")
        return [Answer.of(system.reply_with(context, intent)[0]) for context in contexts]
    if isinstance(system, RepliesToMany):
        return [Answer.of(reply) for reply in system.reply_many(contexts)]
    if not isinstance(system, Replies):
        raise UserError("this system does not answer; choose another: hearten list systems")
    return [Answer.of(system.reply(context)[0]) for context in contexts]


def _question(where: str, line: str) -> Question:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UserError(f"{where}: not a JSON object ({error})") from None
    if not isinstance(row, dict) or not isinstance(row.get("context"), list) or not row["context"]:
        raise UserError(f"{where}: expected an object with a 'context', a list of one or more turns")
    if unknown := row.keys() - KNOWN:
        raise UserError(f"{where}: unknown: {', '.join(sorted(unknown))}; known are {', '.join(sorted(KNOWN))}")
    intent = row.get("intent")
    if intent is not None and intent not in LABELS:
        raise UserError(f"{where}: there is no emotion or intent {intent!r}; see: hearten list emotions")
    turns = tuple(_turn(where, number, turn) for number, turn in enumerate(row["context"]))
    if turns[-1].role != "speaker":
        raise UserError(f"{where}: the last turn has to be the speaker's, or there is nothing to answer")
    return Question(turns, None if row.get("id") is None else str(row["id"]), intent)


def _turn(where: str, number: int, turn: object) -> Turn:
    match turn:
        case str():
            return Turn("listener" if number % 2 else "speaker", turn)
        case {"role": "speaker" | "listener" as role, "text": str(text)}:
            return Turn(role, text)
    raise UserError(
        f"{where}: turn {number + 1} is neither a text nor an object with role (speaker, listener) and text"
    )
