"""Evidence: words that are left out, and whether those named are those that matter."""

from collections.abc import Sequence

import numpy as np
import pytest

from hearten.data.source import load_examples
from hearten.reader.evidence import Texts, find_words, log_odds, weigh, without
from hearten.reader.model import Reader
from hearten.system import Array


def planted(ones: Sequence[Texts]) -> Array:
    """A reader that is moved by 'dog' (up) and 'fine' (down) alone."""
    said = [" ".join(texts) for texts in ones]
    likely = np.array([0.5 + 0.4 * ("dog" in text) - 0.3 * ("fine" in text) for text in said])
    return np.stack([likely, 1 - likely], axis=1)


def test_the_planted_word_weighs_what_its_absence_costs() -> None:
    found = weigh(("my dog", "is fine now"), 0, planted, most=10)
    assert [one.word for one in found] == ["dog", "my", "is", "now", "fine"]
    assert found[0].weight == pytest.approx(float(log_odds(np.array(0.6)) - log_odds(np.array(0.2))))
    assert (found[0].turn, found[0].start, found[0].end) == (0, 3, 6)
    assert found[-1].weight < 0


def test_a_word_is_left_out_where_it_stands() -> None:
    texts = ("a dog and a dog", "don\u2019t")
    words = find_words(texts, 10)
    assert [word.text for word in words] == ["a", "dog", "and", "a", "dog", "don\u2019t"]
    assert without(texts, [words[1], words[3]]) == ("a  and  dog", "don\u2019t")


def test_only_the_last_words_are_weighed() -> None:
    assert [word.text for word in find_words(("one two", "three"), 2)] == ["two", "three"]


def test_certainty_has_finite_odds() -> None:
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()


def test_without_its_evidence_a_reading_loses_more_than_without_random_words(reader: Reader) -> None:
    """Faithfulness: the three words named against three drawn at random, over real readings."""
    random = np.random.default_rng(0)
    drops: list[tuple[float, float]] = []
    for example in load_examples("sample", "test")[:30]:
        texts = tuple(turn.text for turn in example.context)
        reading = reader.read([example.context], evidence=True)[0]
        words = find_words(texts, 96)
        places = {(one.turn, one.start) for one in reading.evidence[:3]}
        named = [word for word in words if (word.turn, word.start) in places]
        drawn = [words[int(place)] for place in random.permutation(len(words))[:3]]
        left = reader.read(["\n".join(without(texts, chosen)) for chosen in (named, drawn)])
        drops.append(tuple(reading.probability - one.probabilities[reading.label] for one in left))  # type: ignore[arg-type]
    lost_named, lost_drawn = np.mean(drops, axis=0)
    assert lost_named > 2 * max(lost_drawn, 0.01)
