"""The evaluator on the real test set: people's own replies, where the right answers are known."""

from pathlib import Path

import pytest

from hearten.data import source
from hearten.evaluation.records import Prediction
from hearten.evaluation.run import judge


@pytest.mark.corpus
def test_people_say_few_stock_phrases(real_data: Path) -> None:
    # 1.1% among the 20 most frequent replies, 99.0% different: our evaluation protocol's figures for the gold replies.
    gold = source.load_examples("empathetic_dialogues", "test")
    assert len(gold) == 5259
    found = judge([Prediction(e.id, e.reply.text) for e in gold], gold, ["genericness", "surface"])
    values = {score.metric: score.value for score in found.scores}
    assert values["top-20 share"] == pytest.approx(1.1, abs=0.05)
    assert values["different replies"] == pytest.approx(99.0, abs=0.06)
