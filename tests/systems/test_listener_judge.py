"""A CAiRE in the listener weighs replies that others wrote."""

from pathlib import Path

import pytest

import hearten
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.listener.load import Choice
from hearten.listener.manner import Manner, Ranking
from hearten.systems.listener.model import Listener
from hearten.systems.listener.settings import ListenerSettings

MANNER = Manner(reads=False, plans=0, candidates=0, retrieved=1, ranking=Ranking(shortlist=2, selection=1.0))


def listener(judge: Path) -> Listener:
    settings = ListenerSettings(parts=Choice(generator="none"), manner=MANNER, judge=str(judge))
    return Listener.prepare(settings, [], seed=0)


def test_a_folder_that_judges_weighs_replies_of_others(tmp_path: Path) -> None:
    found = listener(hearten.train("caire", "tiny", ["stage.0.steps=1"], tmp_path / "caire"))
    judge, ranker = found.agent.parts.judge, found.agent.parts.ranker
    assert judge is not None and ranker is not None
    context, texts = [Turn("speaker", "I lost my keys.")], ["Where did you have them last?", "Happy birthday!"]
    said, free = judge.judge(context, texts), judge.judge((), texts)
    expected = 20 * ranker.affinity([context], texts)[0] + 0.5 * (said.nats - free.nats) + said.selection
    assert found.affinity([context], texts)[0] == pytest.approx(expected, rel=1e-4)


def test_what_does_not_judge_is_refused(tmp_path: Path) -> None:
    place = hearten.train("plannedlm", "tiny", ["stage.0.steps=1"], tmp_path / "plannedlm")
    with pytest.raises(UserError, match="name the folder of a trained caire"):
        listener(place)
