"""What counts as a flaw of a reply, and what must not."""

import pytest

from hearten.listener.flaws import flaws


@pytest.mark.parametrize(
    "text",
    [
        "My mom did the same thing to me.",
        "I know how that feels, my little brother has one too.",
        "I had a similar experience last year.",
        "I have a dog as well!",
        "The same happened to me.",
        "I remember when I went there.",
        "Me too, it was awful.",
        "I've never been to one.",
        "I am a student myself.",
    ],
)
def test_a_program_has_no_life_of_its_own(text: str) -> None:
    assert flaws(text) == ["a life of its own"]


@pytest.mark.parametrize(
    "text",
    [
        "I had no idea, that sounds hard.",
        "I have a feeling that it will go well.",
        "I got it. How is your mom now?",
        "I have been thinking of you. Is your family with you?",
        "I hope you have a good time with your friends!",
        "Oh no, oh no. How did your boss react?",
        "My goodness! What happened then?",
        "I am a bit worried about that. I have no doubt that you will manage.",
        "I am so sorry. I am here for you.",
    ],
)
def test_kind_words_are_no_flaws(text: str) -> None:
    assert flaws(text) == []


def test_saying_the_same_twice_and_crude_words_are_flaws() -> None:
    assert flaws("That is great! That is great!") == ["says the same twice"]
    assert flaws("I hope you feel better soon and I hope you feel better.") == ["says the same twice"]
    assert flaws("That sucks.") == ["crude"]
