"""Utterance labels and calibration as metrics, by hand; and evaluation on a corpus of single texts."""

from pathlib import Path

import pytest

from hearten.data import expansion
from hearten.dialogue import Example, Labelled, Turn
from hearten.evaluation.job import Job, evaluate_target
from hearten.evaluation.metric import NotMeasurable
from hearten.evaluation.metrics.calibration import PLUGIN as CALIBRATION
from hearten.evaluation.metrics.labels import PLUGIN as LABELS_METRIC
from hearten.evaluation.records import Prediction
from hearten.training.loop import train
from hearten.training.settings import recipe


def gold(*labels: str | None) -> list[Example]:
    return [Example(f"t:{n}", (), Turn("speaker", "hm", label), label) for n, label in enumerate(labels)]


def test_labels_count_what_is_right_among_the_labelled() -> None:
    guesses = [Prediction("t:0", label="sad"), Prediction("t:1", label="wishing"), Prediction("t:2", label="sad")]
    (found,) = LABELS_METRIC.measure(guesses, gold("sad", "neutral", None))
    assert found.values()[0] == 50
    assert "texts:2" in found.measures[0].signature


def test_fine_intents_are_not_among_the_41() -> None:
    with pytest.raises(NotMeasurable):
        LABELS_METRIC.measure([Prediction("t:0", label="sad")], gold("sharing_opinions"))


def test_calibration_error_by_hand() -> None:
    made = [("sad", 0.95), ("sad", 0.95), ("angry", 0.05)]
    predictions = [Prediction(f"t:{n}", emotion=e, emotion_probability=p) for n, (e, p) in enumerate(made)]
    (found,) = CALIBRATION.measure(predictions, gold("sad", "angry", "sad"))
    assert found.values()[0] == pytest.approx(100 * (abs(1 - 1.9) + 0.05) / 3)
    assert found.n == 3


def test_calibration_needs_probabilities() -> None:
    with pytest.raises(NotMeasurable):
        CALIBRATION.measure([Prediction("t:0", emotion="sad")], gold("sad"))


def test_a_reader_is_measured_on_single_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    expansion.store([Labelled("a#2", "why?", "questioning"), Labelled("a#4", "good luck", "wishing")])
    model = train(recipe("reader", "tiny", ["stage.0.steps=2"]), tmp_path / "model")
    result = evaluate_target(str(model), "tiny", Job("expanded_intents", "train"))
    assert result.measured == ("labels",)
    assert result.folder == Path("results/reader/tiny-expanded_intents")
    assert not (model / "metrics.json").exists()  # the card tells of conversations
    other = evaluate_target("bm25", "tiny", Job("expanded_intents", "train"))
    assert other.skipped == {"labels": "it needs a system that labels utterances"}
