"""Greedy decoding and sampling: what is chosen, by whose dice, and for how long; and the same as a stream."""

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel, LlamaForCausalLM

from hearten.decoding import Decoding
from hearten.errors import UserError
from hearten.nn.decoding import generate, stream
from hearten.nn.decoding.causal import CausalStepper
from hearten.nn.decoding.sampling import _draw

END = 0
Tables = Callable[[Tensor], Any]
Llama = Callable[[int], LlamaForCausalLM]
PROMPTS = [[3, 4, 5, 6, 7], [8, 9], [10, 11, 12], [9]]
SAMPLED = [
    Decoding(sample=True, max_tokens=10),
    Decoding(sample=True, max_tokens=10, temperature=0.7, top_p=0.9),
    Decoding(sample=True, max_tokens=10, top_k=5, min_p=0.05, no_repeat_ngram=2, repetition_penalty=1.2),
]


def table(*rows: Sequence[float]) -> Tensor:
    return torch.tensor(rows).log()


CHAIN = table([1, 0, 0, 0], [0.1, 0.1, 0.8, 0], [0.2, 0.1, 0.1, 0.6], [0.7, 0.1, 0.1, 0.1])
"""1 is likely followed by 2, 2 by 3, and 3 by the end."""


def test_greedy_takes_the_likeliest_token_until_the_end(stepper_of: Tables) -> None:
    (found,) = generate(stepper_of(CHAIN), [[1]], Decoding(), END)[0]
    assert found.ids == (2, 3)
    assert found.is_finished
    assert found.nats == pytest.approx(math.log(0.8 * 0.6 * 0.7))
    assert found.score == pytest.approx(found.nats / 3) == found.nats_per_token


def test_the_limit_of_tokens_leaves_a_reply_unfinished(stepper_of: Tables) -> None:
    (found,) = generate(stepper_of(CHAIN), [[1]], Decoding(max_tokens=2), END)[0]
    assert (found.ids, found.is_finished) == ((2, 3), False)
    assert found.score == pytest.approx(math.log(0.8 * 0.6) / 2)


def test_a_banned_token_is_never_said_but_counts_in_the_probability(stepper_of: Tables) -> None:
    (found,) = generate(stepper_of(CHAIN), [[2]], Decoding(max_tokens=1), END, banned=[3])[0]
    assert found.ids == (1,)
    assert found.nats == pytest.approx(math.log(0.1))


def test_a_finished_reply_costs_nothing_more(stepper_of: Tables) -> None:
    stepper = stepper_of(CHAIN)
    generate(stepper, [[1], [2], [3], [1]], Decoding(min_tokens=0), END)
    assert stepper.counts == [4, 3, 2]


def test_a_prompt_is_read_once_for_all_its_samples(stepper_of: Tables) -> None:
    stepper = stepper_of(CHAIN)
    generate(stepper, [[1], [2]], Decoding(sample=True, max_tokens=2, min_tokens=2), END, n=5)
    assert stepper.counts == [2, 10]


def test_no_prompts_give_no_replies(stepper_of: Tables) -> None:
    assert generate(stepper_of(CHAIN), [], Decoding(), END) == []


def test_samples_are_as_frequent_as_they_are_probable(stepper_of: Tables) -> None:
    shares = [0.05, 0.5, 0.15, 0.3]
    decoding = Decoding(sample=True, max_tokens=1, min_tokens=0)
    (found,) = generate(stepper_of(table(shares, *[shares] * 3)), [[1]], decoding, END, n=4000)
    counts = [sum(one.ids == ids for one in found) / 4000 for ids in [(), (1,), (2,), (3,)]]
    assert counts == pytest.approx(shares, abs=0.03)  # four standard deviations


def test_what_is_cut_off_is_never_drawn(stepper_of: Tables) -> None:
    shares = [0.05, 0.5, 0.15, 0.3]
    for settings in ({"top_k": 2}, {"top_p": 0.6}, {"min_p": 0.5}):
        decoding = Decoding(sample=True, max_tokens=1, **settings)
        (found,) = generate(stepper_of(table(*[shares] * 4)), [[1]], decoding, END, n=300)
        assert {one.ids for one in found} == {(1,), (3,)}


def test_the_best_sample_comes_first(stepper_of: Tables) -> None:
    (found,) = generate(stepper_of(CHAIN), [[1]], Decoding(sample=True), END, n=20)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len({one.ids for one in found}) > 1


@pytest.mark.parametrize("decoding", SAMPLED, ids=range(len(SAMPLED)))
def test_a_prompt_is_answered_alike_alone_and_among_others(decoding: Decoding, llama: Llama) -> None:
    for seed in range(8):
        stepper = CausalStepper(llama(seed))
        together = generate(stepper, PROMPTS, decoding, END, n=3, seed=seed)
        for prompt, expected in zip(PROMPTS, together, strict=True):
            (alone,) = generate(stepper, [prompt], decoding, END, n=3, seed=seed)
            assert [one.ids for one in alone] == [one.ids for one in expected]
            assert [one.nats for one in alone] == pytest.approx([one.nats for one in expected], rel=1e-4)


def test_a_sample_does_not_depend_on_how_many_are_drawn(llama: Llama) -> None:
    stepper = CausalStepper(llama(0))
    (few,) = generate(stepper, PROMPTS[:1], SAMPLED[0], END, n=2)
    (many,) = generate(stepper, PROMPTS[:1], SAMPLED[0], END, n=6)
    assert {one.ids for one in few} <= {one.ids for one in many}


def test_the_seed_and_the_prompt_decide_what_is_drawn(llama: Llama) -> None:
    def said(seed: int, prompts: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        return [one.ids for each in generate(stepper, prompts, SAMPLED[0], END, n=4, seed=seed) for one in each]

    stepper = CausalStepper(llama(0))
    assert said(1, PROMPTS) == said(1, PROMPTS) != said(2, PROMPTS)
    assert said(1, [[5], [5]])[:4] == said(1, [[5], [5]])[4:]


def test_prompts_that_the_model_takes_for_the_same_have_dice_of_their_own(stepper_of: Tables) -> None:
    one, other = generate(stepper_of(CHAIN), [[1], [2, 1]], Decoding(sample=True, min_tokens=5), END)
    assert one[0].ids != other[0].ids


def test_the_lowest_throw_does_not_draw_what_is_impossible() -> None:
    class Loaded(Random):
        def random(self) -> float:
            return 0.0

    assert _draw(table([0, 0, 0.5, 0.5]), [Loaded()]).tolist() == [2]


def test_padding_does_not_move_a_prompt_in_a_model_that_counts_places() -> None:
    torch.manual_seed(0)
    shape = {"vocab_size": 24, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32}
    model = GPT2LMHeadModel(GPT2Config(**shape, initializer_range=0.6, bos_token_id=None, eos_token_id=None)).eval()
    together = generate(CausalStepper(model), PROMPTS, Decoding(max_tokens=6), END)
    alone = [generate(CausalStepper(model), [prompt], Decoding(max_tokens=6), END)[0] for prompt in PROMPTS]
    assert [one.nats for (one,) in together] == pytest.approx([one.nats for (one,) in alone], rel=1e-4)
    assert [one.ids for (one,) in together] == [one.ids for (one,) in alone]


def test_global_randomness_is_neither_used_nor_disturbed(llama: Llama) -> None:
    stepper = CausalStepper(llama(0))
    before = torch.random.get_rng_state()
    generate(stepper, PROMPTS, SAMPLED[0], END)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("decoding", [Decoding(max_tokens=10), *SAMPLED], ids=range(1 + len(SAMPLED)))
def test_a_stream_says_what_generate_says(decoding: Decoding, llama: Llama) -> None:
    for seed in range(8):
        stepper = CausalStepper(llama(seed))
        for prompt in PROMPTS:
            (whole,) = generate(stepper, [prompt], decoding, END, seed=seed)[0]
            assert tuple(stream(stepper, prompt, decoding, END, seed=seed)) == whole.ids


def test_a_stream_that_is_closed_stops_the_model(stepper_of: Tables) -> None:
    stepper = stepper_of(table(*[[0, 0.4, 0.3, 0.3]] * 4))
    said: Iterator[int] = stream(stepper, [1], Decoding(), END)
    assert [next(said), next(said)] == [1, 1]
    said.close()  # type: ignore[attr-defined]
    assert len(stepper.counts) == 2


def test_beams_cannot_be_streamed(stepper_of: Tables) -> None:
    with pytest.raises(UserError, match="set beams = 1"):
        stream(stepper_of(CHAIN), [1], Decoding(beams=2), END)


def test_a_language_model_needs_a_first_token(llama: Llama) -> None:
    with pytest.raises(UserError, match="at least one token"):
        generate(CausalStepper(llama(0)), [[1], []], Decoding(), END)


def test_rules_hold_whatever_is_drawn(llama: Llama) -> None:
    rules = Decoding(sample=True, min_tokens=4, max_tokens=9, no_repeat_ngram=2, temperature=3.0)
    for seed in range(10):
        for one in generate(CausalStepper(llama(seed)), [[5]], rules, END, n=8, seed=seed, banned=[7])[0]:
            assert 4 <= len(one.ids) <= 9
            assert END not in one.ids and 7 not in one.ids
            pairs = list(zip(one.ids, one.ids[1:], strict=False))
            assert len(set(pairs)) == len(pairs)
            assert one.is_finished or len(one.ids) == 9
