"""The planned language model: plans in its layout, and what is learned and scored."""

import pytest

from hearten.chatml import Layout, Limits
from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.systems.plannedlm.model import PlannedLM
from hearten.systems.plannedlm.plans import planned
from hearten.training.build import build
from hearten.training.settings import recipe

LOST = Turn("speaker", "I lost my dog", "sad")
SORRY = Turn("listener", "I am sorry", "sympathizing")
THANKS = Turn("speaker", "Thank you")
WHERE = Turn("listener", "Where did you lose him?")
FIRST = Example("a#2", (LOST,), SORRY)
SECOND = Example("a#4", (LOST, SORRY, THANKS), WHERE)


@pytest.fixture(scope="module")
def system() -> PlannedLM:
    built, _ = build(recipe("plannedlm", "tiny"))
    assert isinstance(built, PlannedLM)
    return built


def text_of(system: PlannedLM, ids: list[int]) -> str:
    return str(system._tokenizer.decode(ids, skip_special_tokens=False))


def test_a_plan_stands_at_the_head_of_a_listeners_turn_and_is_no_target(system: PlannedLM) -> None:
    both = planned([FIRST, SECOND], "shipped", 1.0)
    (one,) = (system._layout.chain(chain) for chain in system._layout.chains(both))
    assert text_of(system, one.ids) == (
        "<|im_start|>user\nI lost my dog<|im_end|>\n<|im_start|>assistant\n(sympathizing)I am sorry<|im_end|>\n"
        "<|im_start|>user\nThank you<|im_end|>\n<|im_start|>assistant\n(questioning)Where did you lose him?<|im_end|>"
    )
    targets = [token for token, is_target in zip(one.ids, one.is_target, strict=True) if is_target]
    assert text_of(system, targets) == "I am sorry<|im_end|>Where did you lose him?<|im_end|>"


def test_the_share_of_plans_is_kept_and_a_turn_is_the_same_in_every_example(system: PlannedLM) -> None:
    many = [Example(f"{n}#2", (LOST,), SORRY) for n in range(400)]
    shown = sum(one.reply.label is not None for one in planned(many, "shipped", 0.5))
    assert 160 < shown < 240
    first, second = planned([FIRST, SECOND], "shipped", 0.5)
    assert second.context[:2] == (*first.context, first.reply)
    assert all(one.reply.label is None for one in planned([FIRST, SECOND], "shipped", 0.0))


def test_labels_are_no_plans_where_nothing_is_planned(system: PlannedLM) -> None:
    plain = Layout(system._tokenizer, Limits(200, 96))
    assert "sympathizing" not in text_of(system, plain.example(SECOND).ids)


def test_scores_do_not_see_the_plan(system: PlannedLM) -> None:
    assert system.log_likelihood([FIRST]) == system.log_likelihood([FIRST.blind()])


def test_it_answers_as_it_is_told(system: PlannedLM) -> None:
    assert system.reply_with((LOST,), "questioning")[0].text
    with pytest.raises(UserError, match="no emotion or intent 'shouting'"):
        system.reply_with((LOST,), "shouting")
