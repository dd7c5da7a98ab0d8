"""Retrieval by shared words."""

import numpy as np
import pytest

from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.systems.bm25.index import Index
from hearten.systems.bm25.model import Bm25, Bm25Config

CONFIG = Bm25Config(k1=1.2, b=0.75, match="contexts", window=4, max_words=20)


def example(name: str, said: str, answered: str) -> Example:
    return Example(name, (Turn("speaker", said),), Turn("listener", answered))


PAIRS = [
    example("a", "My dog ran away last night", "I hope that he finds his way home."),
    example("b", "I passed the driving test", "Well done!"),
    example("c", "My dog won a prize", "Well done!"),
]


def test_the_score_is_the_textbook_formula() -> None:
    index = Index.build(["the cat sat", "the dog", "a bird sang a song"], k1=1.2, b=0.75)
    idf = np.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    mean = (3 + 2 + 5) / 3
    expected = idf * 2 * 2.2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 5 / mean))
    assert index.scores("a")[2] == pytest.approx(expected)
    assert index.scores("a")[:2].tolist() == [0, 0]


def test_a_text_outside_the_index_scores_like_the_same_text_inside() -> None:
    texts = ["the cat sat on the mat", "the dog", "a bird sang"]
    index = Index.build(texts, k1=1.5, b=0.6)
    queries = ["where is the cat", "birds and a dog", "nothing shared"]
    inside = np.stack([index.scores(query) for query in queries])
    np.testing.assert_allclose(index.outside_scores(queries, texts), inside, rtol=1e-5)


def test_the_reply_comes_from_the_most_similar_context_and_names_its_source() -> None:
    system = Bm25.prepare(CONFIG, PAIRS, seed=0)
    best = system.reply([Turn("speaker", "our dog ran off")])[0]
    assert (best.text, best.source) == ("I hope that he finds his way home.", "a")


def test_alternatives_differ_in_text() -> None:
    system = Bm25.prepare(CONFIG, PAIRS, seed=0)
    texts = [reply.text for reply in system.reply([Turn("speaker", "dog test")], n=5)]
    assert sorted(texts) == ["I hope that he finds his way home.", "Well done!"]


def test_matching_replies_looks_at_the_replies_themselves() -> None:
    config = CONFIG.model_copy(update={"match": "replies"})
    system = Bm25.prepare(config, PAIRS, seed=0)
    assert system.reply([Turn("speaker", "will he come home")])[0].source == "a"


def test_replies_that_are_too_long_are_no_candidates() -> None:
    config = CONFIG.model_copy(update={"max_words": 2})
    assert {source for source, _ in Bm25.prepare(config, PAIRS, seed=0).replies} == {"b", "c"}
    with pytest.raises(UserError, match="no reply to choose from"):
        Bm25.prepare(CONFIG.model_copy(update={"max_words": 1}), PAIRS, seed=0)


@pytest.mark.parametrize("odd", ["🙂🙂", "\x00", "東京で迷子になった", "?!", "word " * 10_000])
def test_odd_input_still_gets_an_answer(odd: str) -> None:
    assert Bm25.prepare(CONFIG, PAIRS, seed=0).reply([Turn("speaker", odd)])[0].text
