"""Drafts in natural case."""

import pytest

from hearten.listener.writing import cased, steady, tidy


@pytest.mark.parametrize(
    ("draft", "written"),
    [
        ("i hate exams when i have one", "I hate exams when I have one."),
        ("oh no ! what did you do ? i'm sorry", "Oh no! What did you do? I'm sorry."),
        ("That's great.", "That's great."),
        ("my iPhone is in Iowa...", "My iPhone is in Iowa..."),
        ('"yes" she said.  and i\u2019ll go :)', '"Yes" she said. And I\u2019ll go:)'),
        ("", ""),
        ("🙂", "🙂"),
    ],
)
def test_words_stay_and_case_is_mended(draft: str, written: str) -> None:
    assert tidy(draft) == written
    assert tidy(written) == written


def test_what_was_shown_stays_as_the_text_grows() -> None:
    draft = "i see . how long ago was it ? i hope he , your dog , is well. i do"
    words = draft.split(" ")
    whole = cased(draft)
    for count in range(len(words)):
        assert whole.startswith(cased(" ".join(words[:count])))


@pytest.mark.parametrize(
    ("draft", "kept"), [("Oh", "Oh"), ("i", ""), ("Oh n", "Oh"), ("Oh no. i", "Oh no."), ("i am", "i"), ("", "")]
)
def test_what_is_shown_early_will_stay(draft: str, kept: str) -> None:
    assert steady(draft) == kept
