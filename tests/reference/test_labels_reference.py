"""Accuracy, precision, recall and F1 against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from hearten.dialogue import Example, Turn
from hearten.evaluation.labels import classification
from hearten.evaluation.metrics import emotion, intent
from hearten.evaluation.records import Prediction
from hearten.taxonomy import EMOTIONS, LABELS


@pytest.mark.parametrize(("seed", "size"), [(0, 500), (1, 40), (2, 5)])
def test_all_seven_kinds_agree_with_scikit_learn(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    gold = [str(label) for label in random.choice(EMOTIONS, size)]
    guess = [truth if random.random() < 0.4 else str(random.choice(EMOTIONS[:20])) for truth in gold]
    found = classification("emotion", guess, gold, EMOTIONS, input="context-so-far")
    expected = [accuracy_score(gold, guess)]
    for kind in ("weighted", "macro"):
        expected += precision_recall_fscore_support(gold, guess, average=kind, zero_division=0)[:3]
    assert found.values() == pytest.approx(100 * np.array(expected))
    assert found.n == size


def test_pairs_without_a_label_are_left_out() -> None:
    found = classification("emotion", ["sad", None, "proud"], ["sad", "sad", None], EMOTIONS)
    assert (found.n, found.values()[0]) == (1, 100)


def example(number: int, feeling: str, label: str) -> Example:
    return Example(f"c{number // 2}#{number}", (Turn("speaker", "hm"),), Turn("listener", "oh", label), feeling)


def test_emotion_is_read_twice_with_different_signatures() -> None:
    gold = [example(0, "sad", "wishing"), example(1, "sad", "proud"), example(2, "proud", "proud")]
    predictions = [
        Prediction(gold[0].id, emotion="proud"),
        Prediction(gold[1].id, emotion="sad", whole_emotion="sad"),
        Prediction(gold[2].id, emotion="sad", whole_emotion="proud"),
    ]
    so_far, whole = emotion.PLUGIN.measure(predictions, gold)
    assert (so_far.n, so_far.values()[0]) == (3, pytest.approx(100 / 3))
    assert (whole.n, whole.values()[0]) == (2, 100)
    assert "input:context-so-far" in so_far.measures[0].signature
    assert "input:whole-dialogue" in whole.measures[0].signature


def test_intents_are_judged_by_the_gold_replys_label_among_41() -> None:
    gold = [example(0, "sad", "wishing"), example(1, "sad", "proud")]
    predictions = [Prediction(gold[0].id, intent="wishing"), Prediction(gold[1].id, intent="sad")]
    (found,) = intent.PLUGIN.measure(predictions, gold)
    assert found.values()[0] == 50
    assert f"labels:{len(LABELS)}" in found.measures[0].signature
