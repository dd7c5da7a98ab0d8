"""Turns become examples; labels stay hidden; the taxonomy is whole."""

import pytest

from hearten import taxonomy
from hearten.dialogue import Dialogue, Turn, examples

TALK = Dialogue(
    "hit:1_conv:2",
    (
        Turn("speaker", "one"),
        Turn("listener", "two", "questioning"),
        Turn("speaker", "three"),
        Turn("listener", "four"),
    ),
    emotion="sad",
    situation="what happened",
)


def test_each_listener_turn_with_a_context_is_an_example() -> None:
    made = list(examples(TALK))
    assert [e.id for e in made] == ["hit:1_conv:2#2", "hit:1_conv:2#4"]
    assert [turn.text for turn in made[1].context] == ["one", "two", "three"]


def test_both_sides_can_be_targets_but_never_the_first_turn() -> None:
    assert [e.reply.text for e in examples(TALK, sides="both")] == ["two", "three", "four"]


def test_a_window_keeps_the_newest_turns() -> None:
    assert [turn.text for turn in list(examples(TALK, window=2))[1].context] == ["two", "three"]


def test_a_blind_example_shows_no_label_and_no_situation() -> None:
    first, last = (e.blind() for e in examples(TALK))
    assert first.emotion is first.situation is first.reply.label is None
    assert last.context[1].label is None
    assert last.reply.text == "four"


def test_the_taxonomy_has_32_emotions_8_intents_and_neutral() -> None:
    assert (len(taxonomy.EMOTIONS), len(taxonomy.INTENTS), len(taxonomy.LABELS)) == (32, 8, 41)
    assert taxonomy.LABELS[-1] == taxonomy.NEUTRAL
    assert len({label.colour for label in taxonomy.BY_NAME.values()}) == 41


@pytest.mark.parametrize("label", taxonomy.BY_NAME.values(), ids=lambda label: label.name)
def test_each_label_has_a_gloss_a_valence_and_a_colour(label: taxonomy.Label) -> None:
    assert label.gloss
    assert -1 <= label.valence <= 1
    assert len(label.colour) == 7 and int(label.colour[1:], 16) >= 0
