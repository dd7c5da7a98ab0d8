"""Reading emotions by counting words."""

import numpy as np
import pytest

from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.systems.tfidf.model import TfIdf, TfIdfConfig
from hearten.taxonomy import EMOTIONS

CONFIG = TfIdfConfig(longest=2, min_documents=1, inverse_penalty=100.0, situations=True)


def example(said: str, emotion: str | None, situation: str | None = None) -> Example:
    return Example(said, (Turn("speaker", said),), Turn("listener", "I see."), emotion, situation)


TRAIN = [
    example("my dog died and I cried", "sad", "we buried the dog"),
    example("I cried at the funeral", "sad"),
    example("a stranger followed me in the dark", "afraid"),
    example("there was a noise in the dark cellar", "afraid"),
]


def read(system: TfIdf, text: str) -> str:
    return EMOTIONS[int(system.emotions([[Turn("speaker", text)]])[0].argmax())]


def test_it_learns_which_words_go_with_which_feeling() -> None:
    system = TfIdf.prepare(CONFIG, TRAIN, seed=0)
    assert read(system, "we cried at the grave") == "sad"
    assert read(system, "something moved in the dark") == "afraid"


def test_situations_are_learned_from_only_when_asked() -> None:
    assert "buried" in TfIdf.prepare(CONFIG, TRAIN, seed=0).counts.terms
    without = CONFIG.model_copy(update={"situations": False})
    assert "buried" not in TfIdf.prepare(without, TRAIN, seed=0).counts.terms


def test_its_numpy_reading_equals_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    from hearten.data.tokens import ngrams, words

    texts = [turn.text for e in TRAIN for turn in e.context] + ["we buried the dog"]
    labels = ["sad", "sad", "afraid", "afraid", "sad"]
    vectoriser = TfidfVectorizer(analyzer=lambda text: list(ngrams(words(text), 2)), sublinear_tf=True)
    model = LogisticRegression(C=100.0, max_iter=300).fit(vectoriser.fit_transform(texts), labels)
    asked = "the dog cried in the dark"
    ours = TfIdf.prepare(CONFIG, TRAIN, seed=0).emotions([[Turn("speaker", asked)]])[0]
    theirs = dict(zip(model.classes_, model.predict_proba(vectoriser.transform([asked]))[0], strict=True))
    assert ours[EMOTIONS.index("sad")] == pytest.approx(theirs["sad"], abs=1e-3)


def test_emotions_that_were_never_seen_get_no_probability() -> None:
    found = TfIdf.prepare(CONFIG, TRAIN, seed=0).emotions([[Turn("speaker", "dark")]])[0]
    assert np.flatnonzero(found).tolist() == [EMOTIONS.index("afraid"), EMOTIONS.index("sad")]


@pytest.mark.parametrize("odd", ["", "🙂", "\x00", "東京", "word " * 10_000])
def test_odd_input_is_read_without_a_crash(odd: str) -> None:
    found = TfIdf.prepare(CONFIG, TRAIN, seed=0).emotions([[Turn("speaker", odd)]])[0]
    assert found.sum() == pytest.approx(1)


def test_examples_without_emotions_are_refused() -> None:
    with pytest.raises(UserError, match="fewer than two emotions"):
        TfIdf.prepare(CONFIG, [example("hello", None)], seed=0)
