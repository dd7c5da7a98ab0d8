"""The runner: what systems are asked, what they see, and what is skipped."""

from pathlib import Path
from typing import Any

import pytest

from hearten.dialogue import Dialogue, Example, Turn
from hearten.errors import UserError
from hearten.evaluation.gather import gather
from hearten.evaluation.job import Job
from hearten.evaluation.run import evaluate, judge

REPLIES_ONLY = ["distinct", "genericness", "surface"]


def test_every_capability_is_measured(all_rounder: Any, gold: list[Example], dialogues: list[Dialogue]) -> None:
    found = evaluate(all_rounder, gold, dialogues=dialogues)
    assert set(found.skipped) == {"ses"}  # its encoder is not in the tests' own cache
    values = {score.metric: score.value for score in found.scores}
    assert values["perplexity"] == pytest.approx(7.389056)  # e to the 4 / 2
    assert values["P@1,100"] == values["P@1,100 (corpus order)"] == 100
    assert values["emotion accuracy"] == values["emotion accuracy (whole-dialogue)"] == 50
    assert values["intent accuracy"] == 50


def test_signatures_are_all_different(all_rounder: Any, gold: list[Example], dialogues: list[Dialogue]) -> None:
    found = evaluate(all_rounder, gold, dialogues=dialogues).scores
    assert len({score.signature for score in found}) == len({score.metric for score in found}) == len(found)


def test_intervals_hold_their_values(all_rounder: Any, gold: list[Example]) -> None:
    for score in evaluate(all_rounder, gold).scores:
        assert score.low <= score.value + 1e-9 and score.value - 1e-9 <= score.high, score.metric


def test_each_context_is_asked_once_and_blind(parrot: Any, gold: list[Example]) -> None:
    labelled = [Example(e.id, (Turn("speaker", f"{e.id}", "sad"),), e.reply, "sad", "a secret") for e in gold]
    evaluate(parrot, labelled, REPLIES_ONLY)
    assert len(parrot.asked) == len(gold)
    assert {turn.label for context in parrot.asked for turn in context} == {None}


def test_the_longest_contexts_are_asked_first(parrot: Any, gold: list[Example]) -> None:
    gather(parrot, gold, {"replies"})
    lengths = [sum(len(turn.text) for turn in context) for context in parrot.asked]
    assert lengths == sorted(lengths, reverse=True)


def test_only_what_the_metrics_need_is_asked(all_rounder: Any, gold: list[Example]) -> None:
    predictions = gather(all_rounder, gold, {"scores likelihood"})
    assert all_rounder.batches == []
    assert {p.reply for p in predictions} == {None}
    assert {p.log_likelihood for p in predictions} == {-4.0}


def test_the_order_of_predictions_is_that_of_the_examples(all_rounder: Any, gold: list[Example]) -> None:
    predictions = gather(all_rounder, gold, {"replies"})
    assert [p.id for p in predictions] == [e.id for e in gold]
    assert [p.reply for p in predictions] == [f"I hear you, {e.context[-1].text}" for e in gold]


def test_a_skipped_metric_says_why(parrot: Any, gold: list[Example], capsys: pytest.CaptureFixture[str]) -> None:
    found = evaluate(parrot, gold)
    assert "scores likelihood" in found.skipped["perplexity"]
    assert "perplexity is skipped: it needs a system that scores likelihood" in capsys.readouterr().err


def test_too_few_examples_to_rank_among_a_hundred_is_said(all_rounder: Any, gold: list[Example]) -> None:
    assert "only 60 examples" in evaluate(all_rounder, gold[:60]).skipped["precision_at_one"]


def test_labels_that_are_missing_are_said(all_rounder: Any, gold: list[Example]) -> None:
    found = evaluate(all_rounder, [e.blind() for e in gold])
    assert found.skipped["emotion"] == "the examples carry no emotion label"
    assert found.skipped["intent"] == "the gold replies carry no emotion or intent label"


def test_a_metric_asked_for_by_name_is_an_error_when_it_fails(all_rounder: Any, gold: list[Example]) -> None:
    with pytest.raises(UserError, match="emotion cannot be measured"):
        evaluate(all_rounder, [e.blind() for e in gold], ["emotion"])


def test_the_same_seed_gives_the_same_scores(all_rounder: Any, gold: list[Example]) -> None:
    first = evaluate(all_rounder, gold, seed=3)
    assert evaluate(all_rounder, gold, seed=3).scores == first.scores
    assert judge(first.predictions, gold, seed=3).scores == first.scores


def test_nothing_to_evaluate_on_is_said(parrot: Any) -> None:
    with pytest.raises(UserError, match="no listener replies"):
        evaluate(parrot, [])


def test_what_was_set_names_one_folder() -> None:
    job = Job(overrides=["system.manner.ranking.likelihood=0.5", "system.parts.judge=runs/caire"])
    assert job.place("listener", "judged") == Path("results/listener/judged-likelihood=0.5-judge=runs_caire")
