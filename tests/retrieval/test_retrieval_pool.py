"""Which candidates make the pool, and why others do not."""

from pathlib import Path

import pytest

from hearten.data import source
from hearten.data.candidates import Candidate, candidates
from hearten.errors import UserError
from hearten.retrieval.pool import gather
from hearten.retrieval.screen import objection, screen


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("That is great!", None),
        ("  ", "empty"),
        ("so very " * 11, "too long"),
        ("yes_comma_ I do", "markup"),
        ("You should go kill yourself", "unsafe"),
        ("SHUT UP", "unsafe"),
        ("I hope Martha calls you back.", "name"),
        ("Thanks, Jake!", "name"),
        ("See you on Friday. Take care!", None),
        ("Merry Christmas", None),
        ("I am from a small town. Where are you from?", None),
    ],
)
def test_a_candidate_is_left_out_for_a_reason(text: str, reason: str | None) -> None:
    assert objection(text, 20, strictly=True) == reason


def test_names_and_words_are_looked_at_only_when_asked() -> None:
    assert objection("Thanks, Jake, shut up!", 20, strictly=False) is None


def test_reasons_are_counted_and_repetitions_kept_once() -> None:
    offered = [Candidate(str(n), text) for n, text in enumerate(["Oh no", "oh  NO", "", "Hi Anna", "Hi Otto"])]
    found = screen(offered, 20, strictly=True)
    assert [candidate.id for candidate in found.kept] == ["0"]
    assert found.left_out == {"repeated": 1, "empty": 1, "name": 2}


def test_the_pool_of_a_corpus_follows_the_rules_for_candidates() -> None:
    expected = candidates(source.dialogues("sample", "train"), longest=20)
    assert gather(["sample"], 20, strictly=False).kept == expected


def test_a_pool_can_hold_a_text_file_beside_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "replies.txt"
    path.write_text("I see.\n\nTell me more about the zebra.\n", encoding="utf-8")
    alone = gather([str(path)], 20, strictly=False)
    assert [(one.id, one.text) for one in alone.kept] == [
        ("replies.txt:1", "I see."),
        ("replies.txt:3", "Tell me more about the zebra."),
    ]
    both = gather(["sample", str(path)], 20, strictly=False).kept
    assert both[-1].id == "replies.txt:3"


def test_an_empty_pool_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.txt"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(UserError, match="no reply to choose from"):
        gather([str(path)], 20, strictly=False)
