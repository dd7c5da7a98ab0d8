"""What counts as a flaw of a reply, and what must not."""

import pytest

from hearten.listener.flaws import flaws
from hearten.listener.own_life import tells_of_itself


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
        "Yes, I do. I have 2 dogs and one cat.",
        "Yes, I have! How did it go?",
        "I will be 50 in five years.",
        "I have seen it and would not pay more.",
        "I like to watch all the scary ones.",
        "I love my job, too.",
        "I'm going to go to the sea as well!",
        "I like horror movies.",
        "That sounds lovely, I really love roller coasters!",
        "It must be hard. I don't sleep well either.",
        "im from the south, it is warm there",
        "I work all day and come home tired.",
        "I was young and could not afford it.",
        "That is my favorite season.",
        "We had to move as well.",
        "Your day was better than mine.",
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
        "Yes, I do think that is hard.",
        "Yeah, I am so sorry. I like to hear that you are safe.",
        "I have some idea of how hard it is; I'm going to be here.",
        "No, I don't blame you. I love that idea!",
        "I can only imagine. I would have been scared to drive, if I were in that car.",
        "I'm so happy for you! I'll keep my fingers crossed.",
        "I really hope that he gets well. I can't tell you how sorry I am.",
        "I love how you put it, and I didn't know that.",
    ],
)
def test_kind_words_are_no_flaws(text: str) -> None:
    assert flaws(text) == []


def test_short_answers_are_claims_only_where_they_were_asked_for() -> None:
    for text in ("I do, and I wish I could share it.", "Oh, I love it!", "I really did.", "I have but once."):
        assert tells_of_itself(text, is_asked=True)
        assert not tells_of_itself(text)
    assert not tells_of_itself("I love that! I do hope that you like it there.", is_asked=True)


def test_saying_the_same_twice_and_crude_words_are_flaws() -> None:
    assert flaws("That is great! That is great!") == ["says the same twice"]
    assert flaws("I hope you feel better soon and I hope you feel better.") == ["says the same twice"]
    assert flaws("That sucks.") == ["crude"]
    assert flaws("Ha" + "ha" * 30) == ["says the same twice"]
    assert flaws("Hahaha, sooooo good!") == []


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("I cheated on her.", "I'm glad you didn't cheat though."),
        ("My guess is that he was drunk.", "That's rough. I'm glad he wasn\u2019t drunk."),
        ("I saw a mouse run across my kitchen.", "I hope it wasnt a mouse."),
        ("The neighbors were having a party all night.", "At least he wasn't having a party for fun."),
    ],
)
def test_comfort_in_what_is_not_so_is_a_flaw(said: str, reply: str) -> None:
    assert flaws(reply, [said]) == ["denies what was said"]
    assert flaws(reply) == flaws(reply, ["My day was long."]) == []


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Nobody was hurt in the accident.", "I'm glad you weren't hurt."),
        ("I feel so guilty. It is my fault.", "It is not your fault."),
        ("I might lose my job.", "I hope you do not lose your job."),
        ("I cheated on her.", "Why didn't you tell her? Is it good that you did not cheat again?"),
        ("I failed.", "You shouldn't call it failing."),
    ],
)
def test_kind_denials_are_no_flaws(said: str, reply: str) -> None:
    assert flaws(reply, [said]) == []
