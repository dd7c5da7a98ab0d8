"""The corpus that ships with the package keeps its promises."""

import re
from collections import Counter

import pytest

from hearten.data import source
from hearten.data.corpus import Problems
from hearten.dialogue import Dialogue
from hearten.taxonomy import EMOTIONS, INTENTS, LABELS, NEUTRAL

SPLITS = ("train", "valid", "test")


@pytest.fixture(scope="module")
def everything() -> dict[str, list[Dialogue]]:
    return {split: list(source.dialogues("sample", split, problems=Problems(strict=True))) for split in SPLITS}


def together(everything: dict[str, list[Dialogue]]) -> list[Dialogue]:
    return [dialogue for split in SPLITS for dialogue in everything[split]]


def test_each_emotion_has_nine_one_and_two_dialogues(everything: dict[str, list[Dialogue]]) -> None:
    for split, each in zip(SPLITS, (9, 1, 2), strict=True):
        assert Counter(d.emotion for d in everything[split]) == dict.fromkeys(EMOTIONS, each)


def test_dialogues_alternate_from_speaker_to_listener(everything: dict[str, list[Dialogue]]) -> None:
    for dialogue in together(everything):
        assert [turn.role for turn in dialogue.turns] == ["speaker", "listener"] * (len(dialogue.turns) // 2)
        assert len(dialogue.turns) in (2, 4, 6)


def test_every_listener_turn_says_how_it_responds(everything: dict[str, list[Dialogue]]) -> None:
    turns = [turn for dialogue in together(everything) for turn in dialogue.turns]
    assert all(turn.label in LABELS for turn in turns if turn.role == "listener")
    assert all(turn.label is None for turn in turns if turn.role == "speaker")
    used = Counter(turn.label for turn in turns if turn.label)
    assert min(used[label] for label in (*INTENTS, NEUTRAL)) >= 40


def test_nothing_is_said_twice(everything: dict[str, list[Dialogue]]) -> None:
    dialogues = together(everything)
    said = [turn.text.casefold() for d in dialogues for turn in d.turns] + [
        str(d.situation).casefold() for d in dialogues
    ]
    assert [text for text, count in Counter(said).items() if count > 1] == []
    assert len({d.id for d in dialogues}) == len(dialogues)


def test_no_two_dialogues_are_nearly_the_same(everything: dict[str, list[Dialogue]]) -> None:
    bags = [words(dialogue) for dialogue in together(everything)]
    closest = max(len(a & b) / len(a | b) for n, a in enumerate(bags) for b in bags[:n])
    assert closest < 0.3


def words(dialogue: Dialogue) -> set[str]:
    return set(
        re.findall(r"[a-z']{4,}", " ".join([str(dialogue.situation), *(t.text for t in dialogue.turns)]).lower())
    )


def test_texts_are_plain_and_of_speakable_length(everything: dict[str, list[Dialogue]]) -> None:
    for dialogue in together(everything):
        for turn in dialogue.turns:
            assert turn.text.isascii()
            assert 5 <= len(turn.text.split()) <= 32, turn.text
