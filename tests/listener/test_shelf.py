"""Replies that were written beforehand: which ones are kept, and how they are found again."""

from pathlib import Path

import pytest

from hearten.data.candidates import Candidate
from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.listener.load import Choice, parts
from hearten.listener.manner import Manner
from hearten.listener.shelf import stock
from hearten.retrieval.encoder import Encoder

GOOD = ["I am so sorry for your loss.", "Congratulations, you must be so proud!"]
THEIRS = "Somebody of the corpus said this before."
CORPUS = [Example("d#1", (Turn("speaker", "Hello."),), Turn("listener", THEIRS))]
LOOKS_UP = Manner(reads=False, plans=0, candidates=0, retrieved=1)


def encoder() -> Encoder:
    found = parts(Choice(generator="none"), LOOKS_UP).ranker
    assert isinstance(found, Encoder)
    return found


def test_only_what_may_be_said_to_many_people_is_kept(tmp_path: Path) -> None:
    said = [
        *GOOD,
        THEIRS,
        "My mom has one too.",
        "It was 12 years ago.",
        "What did Anna and Peter say to James?",
        GOOD[0],
    ]
    offered = [Candidate(f"d#{number}", text) for number, text in enumerate(said)]
    left_out = stock(offered, CORPUS, encoder(), tmp_path / "shelf")
    assert left_out == {"said in the corpus": 1, "a life of its own": 1, "a number": 1, "name": 1, "repeated": 1}
    found = parts(Choice(generator="none", shelf=str(tmp_path / "shelf")), LOOKS_UP).retriever
    assert found is not None
    assert [one.text for one in found.reply([Turn("speaker", "I won the first prize!")])] == [GOOD[1]]
    assert [one.text for one in found.reply([Turn("speaker", "My grandmother died.")])] == [GOOD[0]]


def test_an_empty_shelf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no reply is left"):
        stock([Candidate("d#1", THEIRS)], CORPUS, encoder(), tmp_path / "shelf")
    with pytest.raises(UserError, match="needs an agent with an exported ranker"):
        stock([Candidate("d#1", GOOD[0])], CORPUS, None, tmp_path / "shelf")


def test_the_shelf_that_ships_answers_kindly() -> None:
    found = parts(Choice(generator="none"), LOOKS_UP).retriever
    assert found is not None
    replies = found.reply([Turn("speaker", "My dog died last night and the house is so quiet.")], 4)
    assert len(replies) == 4 and "sorry" in " ".join(one.text for one in replies).lower()
    assert parts(Choice(generator="none", shelf="none"), LOOKS_UP.model_copy(update={"retrieved": 0})).retriever is None
