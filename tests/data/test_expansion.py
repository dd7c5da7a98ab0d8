"""Cues from hand-labelled turns, the turns they find, and the corpus made of them."""

from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hearten.cli.main import build
from hearten.data import source
from hearten.data.expansion import COARSE, even_share, expand, find_cues, grams, label_of, store
from hearten.dialogue import Labelled

SEEDS = [
    *(Labelled(f"q{n}", f"what happened to you {n}?", "questioning") for n in range(4)),
    *(Labelled(f"w{n}", f"good luck to you {n}", "wishing") for n in range(4)),
    Labelled("w9", "best of it", "wishing"),
]


def test_cues_are_frequent_in_their_intent_and_rare_elsewhere() -> None:
    cues = find_cues(SEEDS)
    assert {"?", "what happened", "what happened to you"} <= set(cues["questioning"])
    assert "good luck" in cues["wishing"]
    assert "to you" not in cues["questioning"] + cues["wishing"]  # both intents say it
    assert "best of" not in cues["wishing"]  # one turn only


def test_the_most_frequent_cue_comes_first_and_ties_by_name() -> None:
    again = Labelled("q8", "what now?", "questioning")
    cues = find_cues([*SEEDS, again])["questioning"]
    assert cues[:2] == ["?", "what"]
    assert cues[2:] == sorted(cues[2:])


def test_a_turn_takes_the_label_of_its_cues_unless_they_disagree() -> None:
    cues = find_cues(SEEDS)
    assert label_of("Good luck!", cues) == "wishing"
    assert label_of("Good luck! What happened?", cues) is None
    assert label_of("I see", cues) is None


def test_a_question_mark_is_a_token() -> None:
    assert grams("Really?!") == {"really", "?", "really ?"}


def test_intents_with_few_turns_give_all_and_the_others_alike() -> None:
    assert even_share([10, 100, 100], 110) == 50
    assert even_share([100, 100], 60) == 30
    assert even_share([5, 5], 60) >= 5


def test_finer_intents_go_to_neutral_except_advice() -> None:
    assert COARSE["advising"] == "suggesting"
    assert "sharing_opinions" not in COARSE


def test_what_is_stored_is_read_as_a_corpus() -> None:
    texts = [Labelled("a#2", 'so "sad", really', "sympathizing"), Labelled("manual:3", "why?", "questioning")]
    store(texts)
    assert list(source.texts("expanded_intents", "train")) == texts


@pytest.mark.corpus
def test_the_real_expansion_is_balanced_repeatable_and_agrees_with_others(real_data: Path) -> None:
    found = expand(2000)
    counts = Counter(text.label for text in found.texts)
    assert len(counts) == 9
    assert 1900 < len(found.texts) < 2100
    assert max(counts.values()) < 300
    assert found.agreement[-1].lexical is not None and found.agreement[-1].lexical > 0.7
    assert expand(2000).texts == found.texts


@pytest.mark.corpus
def test_the_command_makes_the_corpus(real_data: Path) -> None:
    result = CliRunner().invoke(build(), ["data", "expand-intents", "--size", "1000"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "questioning" in result.output
    assert 900 < sum(1 for _ in source.texts("expanded_intents", "train")) < 1100
