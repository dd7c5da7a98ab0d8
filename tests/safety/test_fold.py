"""What is left of a text when its disguises are taken off."""

import pytest

from hearten.safety.features import WINDOW, features, pieces
from hearten.safety.fold import LONGEST_WORD, fold


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I'm FINE. Really?! Yes", "im fine . really . yes"),
        ("don\u2019t", "dont"),
        ("soooo good", "so good"),
        ("1000 things", "1000 things"),
        ("2nd place", "2nd place"),
        ("su1cide", "suicide"),
        ("k!ll", "kill"),
        ("d*e", "die"),
        ("killlll", "kill"),
        ("s.u.i.c.i.d.e", "suicide"),
        ("I am not here", "im not here"),
        ("caf\u00e9 na\u00efve", "cafe naive"),
        ("\u0441\u0430t", "cat"),
        ("kill.myself", "kill myself"),
        ("", ""),
        ("...", ""),
        ("\u4f60\u597d", ""),
    ],
)
def test_text_becomes_plain_words(text: str, plain: str) -> None:
    assert fold(text) == plain


def test_endless_words_are_cut() -> None:
    assert len(fold("ab" * 1000)) == LONGEST_WORD


def test_long_sentences_are_read_in_overlapping_windows() -> None:
    words = [f"w{number}" for number in range(70)]
    parts = pieces(" ".join(words))
    assert all(len(part.split()) <= WINDOW for part in parts)
    assert {word for part in parts for word in part.split()} == set(words)
    assert any({"w29", "w30"} <= set(part.split()) for part in parts)


def test_short_sentences_are_read_alone_and_in_pairs() -> None:
    assert pieces("a b . c") == ["a b", "c", "a b c"]


def test_features_have_length_one_and_words_of_like_meaning_share_some() -> None:
    tablets, pills, books = features("my tablets"), features("my pills"), features("my books")
    assert sum(value**2 for value in tablets.values()) == pytest.approx(1)
    assert len(tablets.keys() & pills.keys()) > len(tablets.keys() & books.keys())
