"""Interrupted evaluations go on where they were, and never store corpus text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hearten.dialogue import Example, Reply, Turn
from hearten.evaluation.gather import BATCH, gather
from hearten.evaluation.partial import Partial
from hearten.system import Array, Context


class Interrupted:
    """Answers so many batches, then is interrupted."""

    def __init__(self, batches: int) -> None:
        self.left = batches
        self.answered = 0

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.answered += len(contexts)
        return [Reply(f"yes, {context[-1].text}") for context in contexts]


def interrupt(path: Path, gold: list[Example]) -> None:
    with pytest.raises(KeyboardInterrupt):
        gather(Interrupted(2), gold, {"replies"}, partial=Partial(path, "one"))


def test_answers_survive_an_interruption(tmp_path: Path, gold: list[Example]) -> None:
    path = tmp_path / "partial.jsonl"
    interrupt(path, gold)
    second = Interrupted(99)
    found = gather(second, gold, {"replies"}, partial=Partial(path, "one"))
    assert second.answered == len(gold) - 2 * BATCH
    assert [p.reply for p in found] == [f"yes, {e.context[-1].text}" for e in gold]


def test_answers_of_another_system_are_not_taken_up(tmp_path: Path, gold: list[Example]) -> None:
    path = tmp_path / "partial.jsonl"
    interrupt(path, gold)
    second = Interrupted(99)
    gather(second, gold, {"replies"}, partial=Partial(path, "another"))
    assert second.answered == len(gold)


def test_a_line_cut_off_while_writing_is_asked_again(tmp_path: Path, gold: list[Example]) -> None:
    path = tmp_path / "partial.jsonl"
    interrupt(path, gold)
    path.write_bytes(path.read_bytes()[:-7])
    second = Interrupted(99)
    found = gather(second, gold, {"replies"}, partial=Partial(path, "one"))
    assert second.answered == len(gold) - 2 * BATCH + 1
    assert all(p.reply for p in found)
    assert len(Partial(path, "one").done("replies")) == len(gold)


def test_quoted_text_is_not_kept(tmp_path: Path, quoting_parrot: Any, gold: list[Example]) -> None:
    path = tmp_path / "partial.jsonl"
    gather(quoting_parrot, gold, {"replies"}, partial=Partial(path, "one"))
    assert "happened" not in path.read_text(encoding="utf-8")
    assert gather(quoting_parrot, gold, {"replies"}, partial=Partial(path, "one"))[0].reply == gold[0].context[-1].text


class Ranker:
    """Ranks each gold reply first, and stops working after a few chunks."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return np.eye(len(contexts))


def test_ranks_survive_an_interruption_too(tmp_path: Path) -> None:
    turns = (Turn("speaker", "Hello."),)
    many = [Example(f"d{number}#2", turns, Turn("listener", f"Hi {number}.")) for number in range(250)]
    place = tmp_path / "partial.jsonl"
    with pytest.raises(KeyboardInterrupt):
        gather(Ranker(3), many, {"ranks"}, partial=Partial(place, "x"), shuffles=1)
    rest = Ranker(1)  # two chunks in each of two orders, three of which are known
    found = gather(rest, many, {"ranks"}, partial=Partial(place, "x"), shuffles=1)
    assert rest.left == 0
    hits = [prediction.hits for prediction in found]
    assert sum(hit is not None and hit[0] == 1.0 for hit in hits) == 200
    assert sum(hit is not None and hit[1] == 1.0 for hit in hits) == 200
