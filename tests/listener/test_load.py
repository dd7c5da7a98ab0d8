"""An agent put together from folders."""

import json
from pathlib import Path

import pytest

import hearten
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.listener import shipped
from hearten.listener.agent import Agent
from hearten.listener.load import Choice, parts
from hearten.listener.manner import Manner


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs") / "plannedlm"
    return hearten.train("plannedlm", "tiny", ["stage.0.steps=20"], place)


def test_a_trained_folder_answers_through_an_engine(
    generator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTEN_CACHE", str(tmp_path))
    manner = Manner(plans=0, candidates=3)
    agent = Agent(parts(Choice(generator=str(generator), ranker="none"), manner), manner)
    context = [Turn("speaker", "I lost my keys.")]
    answer = agent.answer(context, seed=3)
    assert answer.text and answer.candidates
    assert agent.answer(context, seed=3) == answer
    assert {"likelihood", "genericness"} <= answer.candidates[0].scores.keys()


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="there is no folder nowhere"):
        parts(Choice(generator="nowhere"), Manner(reads=False, plans=0))


def test_shipped_files_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="hearten train plannedlm"):
        shipped.shipped(tmp_path)
    (tmp_path / "ranker").mkdir()
    (tmp_path / "ranker" / "x").write_text("changed")
    card = {"backbone": "b", "sha256": {"delta.safetensors": "0", "ranker/x": "0"}}
    (tmp_path / shipped.CARD).write_text(json.dumps(card))
    with pytest.raises(UserError, match=r"is not the file that listener\.json names"):
        _ = shipped.shipped(tmp_path).ranker


def test_the_shipped_ranker_prefers_what_fits() -> None:
    ranker = parts(Choice(generator="none"), Manner(reads=False, plans=0, candidates=0, retrieved=1)).ranker
    assert ranker is not None
    dog, prize = [Turn("speaker", "My dog died last night.")], [Turn("speaker", "I won first prize!")]
    fits = ranker.affinity([dog, prize], ["I am so sorry for your loss.", "Congratulations, you must be proud!"])
    assert fits[0, 0] > fits[0, 1] and fits[1, 1] > fits[1, 0]


def test_two_rankers_add_up() -> None:
    manner = Manner(reads=False, plans=0, candidates=0, retrieved=1)
    one = parts(Choice(generator="none"), manner)
    both = parts(Choice(generator="none", second_ranker="shipped", second_weight=0.25), manner)
    assert one.ranker and both.ranker and both.retriever
    asked = [[Turn("speaker", "My dog died last night.")]], ["I am so sorry.", "Congratulations!"]
    assert both.ranker.affinity(*asked) == pytest.approx(1.25 * one.ranker.affinity(*asked), abs=1e-6)


def test_a_second_ranker_needs_a_first() -> None:
    with pytest.raises(ValueError, match="no first"):
        Choice(ranker="none", second_ranker="shipped")


def test_what_is_not_shipped_is_said(tmp_path: Path) -> None:
    (tmp_path / shipped.CARD).write_text(json.dumps({"backbone": "b", "sha256": {}}))
    with pytest.raises(UserError, match="no generator is shipped"):
        _ = shipped.shipped(tmp_path).source
