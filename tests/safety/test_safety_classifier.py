"""The weights are checked before they are used, and are what the lessons give."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from hearten.errors import UserError
from hearten.safety import classifier, lessons
from hearten.safety.classifier import CARD, CLASSES, WEIGHTS, Classifier, home
from hearten.safety.fit import refit
from hearten.safety.lessons import Lesson
from hearten.safety.report import evaluate, firings, show

TAUGHT = [
    *(Lesson("suicide", f"zebra moon {word}") for word in ("one", "two", "three", "four", "five", "six")),
    *(Lesson("none", f"green tea {word}") for word in ("one", "two", "three", "four", "five", "six")),
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in (WEIGHTS, CARD):
        shutil.copy(home() / name, tmp_path / name)
    return tmp_path


def test_tampered_weights_are_refused(copy: Path) -> None:
    data = bytearray((copy / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (copy / WEIGHTS).write_bytes(data)
    with pytest.raises(UserError, match="is not the file that"):
        Classifier.load(copy)


def test_missing_weights_are_told(copy: Path) -> None:
    (copy / WEIGHTS).unlink()
    with pytest.raises(UserError, match="cannot be read"):
        Classifier.load(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 9}'])
def test_a_damaged_card_is_told(copy: Path, text: str) -> None:
    (copy / CARD).write_text(text)
    with pytest.raises(UserError, match=r"classifier\.json"):
        Classifier.load(copy)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    card = {"threshold": 0.5, "threshold_after": 0.4, "lessons": {}, "held_out": []}
    classifier.write(tmp_path, np.zeros((4, 2), dtype=np.float32), **card)
    with pytest.raises(UserError, match="shape"):
        Classifier.load(tmp_path)


def test_fitting_learns_and_repeats_itself(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        refit(tmp_path / name, TAUGHT, [])
    assert (tmp_path / "one" / WEIGHTS).read_bytes() == (tmp_path / "two" / WEIGHTS).read_bytes()
    taught = Classifier.load(tmp_path / "one")
    kind, probability = taught.read("zebra moon seven")
    assert kind == "suicide"
    assert probability > 0.5 > taught.read("green tea seven")[1]


def test_the_shipped_weights_belong_to_the_shipped_lessons() -> None:
    sums = classifier.shipped().card.lessons
    assert sums["lessons.tsv"] == lessons.digest(lessons.read()), "run: python -m hearten.safety.fit"
    assert sums["sample corpus"] == lessons.digest(lessons.everyday()), "run: python -m hearten.safety.fit"
    assert (home() / WEIGHTS).stat().st_size < 1_000_000


def test_there_are_many_lessons_and_none_twice() -> None:
    given = lessons.read()
    assert sum(one.kind != "none" for one in given) >= 400
    assert sum(one.kind == "none" for one in given) >= 800
    assert {one.kind for one in given} == set(CLASSES)
    assert len({one.text for one in given}) == len(given)


def test_held_out_sentences_are_no_lessons() -> None:
    assert not {one.text for one in lessons.read()} & {one.text for one in lessons.read_held_out()}


def test_a_bad_lesson_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / lessons.LESSONS).write_text("none\tfine\nnone fine\n")
    with pytest.raises(UserError, match=r"lessons\.tsv:2"):
        lessons.read(tmp_path)


def test_what_is_said_plainly_is_found_among_the_held_out() -> None:
    rows = evaluate([one for one in lessons.read_held_out() if one.manner == "plain"])
    by_kind = {row.kind: row for row in rows}
    assert all(row.found == row.sentences for kind, row in by_kind.items() if kind != "none")
    assert by_kind["none"].found <= 0.02 * by_kind["none"].sentences


def test_cross_validation_is_recorded() -> None:
    rows = {row["kind"]: row for row in json.loads((home() / CARD).read_text())["held_out"]}
    assert rows["suicide"]["found"] / rows["suicide"]["sentences"] > 0.8
    assert rows["none"]["found"] / rows["none"]["sentences"] < 0.02


def test_the_table_counts_kind_by_kind() -> None:
    given = [Lesson("suicide", "I want to die"), Lesson("suicide", "green tea"), Lesson("none", "I cut myself again")]
    assert show(evaluate(given)).splitlines()[2:] == [
        "| none | 1 | 1 | 1 | 100.0% | 0 |",
        "| suicide | 2 | 1 | 1 | 50.0% | 1 |",
    ]


def test_turns_of_a_corpus_are_counted_without_their_text() -> None:
    counts = firings("sample", 200, seed=1)
    assert all(name.split(", ")[0] in CLASSES for name in counts)


@pytest.mark.corpus
def test_false_alarms_on_real_turns_are_rare(real_data: Path) -> None:
    assert firings("empathetic_dialogues", 3000, seed=7).total() <= 3000 * 0.008
