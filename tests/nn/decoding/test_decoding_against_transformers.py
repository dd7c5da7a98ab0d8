"""Greedy and beam search, token for token, against `generate` of transformers on tiny random Llamas.

transformers gets the prompt as embeddings, so that its rules about repetition see the reply alone, as ours do.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from transformers import LlamaForCausalLM

from hearten.decoding import Decoding
from hearten.nn.decoding import Hypothesis, generate
from hearten.nn.decoding.causal import CausalStepper

PROMPTS = [[3, 4, 5, 6, 7], [8, 9], [10, 11, 12], [9]]
END = 1
Llama = Callable[[int], LlamaForCausalLM]
NAMES = {
    "max_tokens": "max_new_tokens",
    "min_tokens": "min_new_tokens",
    "beams": "num_beams",
    "no_repeat_ngram": "no_repeat_ngram_size",
}


def reference(model: LlamaForCausalLM, decoding: Decoding, n: int) -> Any:
    width = max(map(len, PROMPTS))
    ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in PROMPTS])
    mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in PROMPTS])
    fields = ("max_tokens", "min_tokens", "beams", "no_repeat_ngram", "length_penalty", "repetition_penalty")
    options = {NAMES.get(field, field): getattr(decoding, field) for field in fields}
    if decoding.beams == 1:
        del options["length_penalty"]
    return model.generate(
        inputs_embeds=model.get_input_embeddings()(ids),
        attention_mask=mask,
        do_sample=False,
        num_return_sequences=n,
        eos_token_id=END,
        pad_token_id=END,
        return_dict_in_generate=True,
        output_scores=True,
        **options,
    )


def whole(ids: list[int]) -> tuple[int, ...]:
    return tuple(ids[: ids.index(END)] if END in ids else ids)


def check_nats(model: LlamaForCausalLM, prompt: list[int], found: Hypothesis) -> None:
    reply = [*found.ids, END] if found.is_finished else list(found.ids)
    with torch.no_grad():
        nats = model(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
    assert found.nats == pytest.approx(nats.gather(1, torch.tensor(reply)[:, None]).sum().item(), rel=1e-4)


@pytest.mark.filterwarnings("ignore:Passing `")
@pytest.mark.parametrize(
    "settings",
    ["greedy", "repetition_penalty=1.5", "no_repeat_ngram=2,min_tokens=4", "min_tokens=12,max_tokens=12"],
)
def test_greedy_tokens_are_those_of_transformers(settings: str, llama: Llama) -> None:
    decoding = Decoding.parse(settings).model_copy(update={"max_tokens": 12})
    finished = 0
    for seed in range(12):
        model = llama(seed)
        expected = [whole(ids) for ids in reference(model, decoding, 1).sequences.tolist()]
        found = generate(CausalStepper(model), PROMPTS, decoding, END)
        assert [best.ids for (best,) in found] == expected
        finished += sum(best.is_finished for (best,) in found)
        check_nats(model, PROMPTS[0], found[0][0])
    assert (finished > 0) == (decoding.min_tokens < 12)


@pytest.mark.filterwarnings("ignore:Passing `")
@pytest.mark.parametrize(
    "settings",
    [
        "beams=2",
        "beams=5",
        "beams=4,length_penalty=2.0",
        "beams=4,length_penalty=0.0",
        "beams=4,length_penalty=-1.0",
        "beams=3,no_repeat_ngram=2",
        "beams=3,min_tokens=5",
        "beams=3,repetition_penalty=1.4",
    ],
)
def test_beams_and_their_scores_are_those_of_transformers(settings: str, llama: Llama) -> None:
    decoding = Decoding.parse(settings).model_copy(update={"max_tokens": 10})
    finished = []
    for seed in range(12):
        model = llama(seed)
        expected = reference(model, decoding, decoding.beams)
        found = generate(CausalStepper(model), PROMPTS, decoding, END, n=decoding.beams)
        flat = [hypothesis for each in found for hypothesis in each]
        assert [one.ids for one in flat] == [whole(ids) for ids in expected.sequences.tolist()]
        assert [one.score for one in flat] == pytest.approx(expected.sequences_scores.tolist(), rel=1e-4)
        finished += [one.is_finished for one in flat]
        check_nats(model, PROMPTS[2], found[2][-1])
    assert any(finished) and not all(finished)


def test_several_replies_without_beams_are_a_beam_search(llama: Llama) -> None:
    model, wide = llama(3), Decoding(beams=3, max_tokens=8)
    narrow = wide.model_copy(update={"beams": 1})
    stepper = CausalStepper(model)
    assert generate(stepper, PROMPTS, narrow, END, n=3) == generate(stepper, PROMPTS, wide, END, n=3)
