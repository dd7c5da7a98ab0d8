"""Counted words: sums by hand, a byte for each weight, and the file they are kept in."""

from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from hearten.errors import UserError
from hearten.reader import counts
from hearten.reader.counts import Counts

COUNTS = Counts(
    terms={"lost": 0, "my": 1, "my dog": 2},
    idf=np.array([2.0, 1.0, 3.0], dtype=np.float32),
    weights=np.array([[1.0, -1.0], [0.1, 0.2], [2.0, 0.0]], dtype=np.float32),
    bias=np.array([0.5, 0.25], dtype=np.float32),
    scale=np.ones(2, dtype=np.float32),
)


def test_what_a_text_says_is_the_sum_over_its_phrases() -> None:
    """ "my" stands twice, "my dog" once; weights are counts, dampened, times rarity, to length 1."""
    said = np.array([1 + log(2), 3.0])
    expected = said / sqrt((said**2).sum()) @ COUNTS.weights[[1, 2]] + COUNTS.bias
    np.testing.assert_allclose(COUNTS.logits([["my", "dog", "and", "my", "cat"]])[0], expected, rtol=1e-6)


def test_unknown_words_say_nothing() -> None:
    assert COUNTS.logits([["quite", "unheard"], []]).tolist() == [COUNTS.bias.tolist()] * 2
    assert COUNTS.logits([]).shape == (0, 2)


def test_a_byte_for_each_weight_is_enough() -> None:
    small = COUNTS.in_bytes()
    assert small.weights.dtype == np.int8
    text = [["my", "lost", "dog"], ["lost"]]
    np.testing.assert_allclose(small.logits(text), COUNTS.logits(text), atol=0.01)


def test_a_file_holds_several_questions(tmp_path: Path) -> None:
    other = Counts({"why": 0}, *(np.ones(shape, dtype=np.float32) for shape in (1, (1, 3), 3, 3)))
    counts.write(tmp_path / "counts", {"emotion": COUNTS, "label": other})
    found = counts.read(tmp_path / "counts")
    assert found["emotion"].terms == COUNTS.terms
    assert found["label"].logits([["why"]]).tolist() == other.logits([["why"]]).tolist()


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "counts").write_bytes(b"not counted")
    with pytest.raises(UserError, match="does not hold counted words"):
        counts.read(tmp_path / "counts")
