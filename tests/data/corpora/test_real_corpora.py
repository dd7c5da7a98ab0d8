"""The real corpora, where they are at hand: counts as published and nothing malformed."""

from pathlib import Path

import pytest

from hearten.data import source
from hearten.data.candidates import candidates
from hearten.data.corpus import Problems
from hearten.dialogue import examples

pytestmark = pytest.mark.corpus


def counted(name: str, split: str, problems: Problems) -> tuple[int, int, int]:
    found = list(source.dialogues(name, split, problems=problems))
    replies = sum(1 for dialogue in found for _ in examples(dialogue))
    return len(found), sum(len(dialogue.turns) for dialogue in found), replies


@pytest.mark.parametrize(
    ("name", "split", "expected"),
    [
        ("empathetic_dialogues", "train", (19_533, 84_169, 40_254)),
        ("empathetic_dialogues", "valid", (2_770, 12_078, 5_738)),
        ("empathetic_dialogues", "test", (2_547, 10_973, 5_259)),
        ("dailydialog", "valid", (1_000, 8_069, 3_851)),
        ("dailydialog", "test", (1_000, 7_740, 3_700)),
        ("personachat", "train", (1_356, 20_000, 10_000)),
        ("personachat", "valid", (1_000, 15_602, 7_801)),
        ("meld", "train", (1_038, 9_989, 5_645)),
        ("meld", "valid", (114, 1_109, 652)),
        ("meld", "test", (280, 2_610, 1_443)),
        ("edos", "mturk", (8_912, 20_543, 7_968)),
        ("edos", "similar", (3_196, 10_258, 4_735)),
        ("edos", "self", (4_100, 18_827, 8_579)),
        ("edos", "similar_self", (2_118, 8_252, 3_792)),
    ],
)
def test_dialogues_turns_and_replies(real_data: Path, name: str, split: str, expected: tuple[int, int, int]) -> None:
    assert counted(name, split, Problems(strict=True)) == expected


def test_one_line_of_dailydialog_has_a_turn_too_many(real_data: Path) -> None:
    problems = Problems()
    assert counted("dailydialog", "train", problems) == (11_117, 87_159, 41_632)
    assert [row.split(":")[1] for row in problems.rows] == ["7852"]


@pytest.mark.parametrize(
    ("name", "split", "count", "labels"),
    [
        ("empathetic_intents", "train", 25_023, 41),
        ("empathetic_intents", "valid", 3_544, 41),
        ("empathetic_intents", "test", 3_225, 41),
        ("empathetic_intents", "lexical-train", 35_612, 9),
        ("empathetic_intents", "manual", 506, 15),
        ("twenty_newsgroups", "train", 11_314, 20),
        ("twenty_newsgroups", "test", 7_532, 20),
    ],
)
def test_texts_and_labels(real_data: Path, name: str, split: str, count: int, labels: int) -> None:
    found = list(source.texts(name, split, strict=True))
    assert (len(found), len({item.label for item in found})) == (count, labels)


def test_automatic_labels_join_all_but_two_test_replies(real_data: Path) -> None:
    assert len(source.load_examples("empathetic_dialogues", "test", labelled=True)) == 5_257


def test_candidates_of_the_training_split_are_many_and_short(real_data: Path) -> None:
    found = candidates(source.dialogues("empathetic_dialogues", "train", strict=True))
    assert len(found) > 45_000
    assert all("_comma_" not in candidate.text for candidate in found)
