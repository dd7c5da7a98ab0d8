"""Replies that share a prompt."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from hearten.nn import shared_prompt

END = 3


@pytest.mark.parametrize("together", [1, 6, 100])
def test_each_reply_is_judged_as_it_is_alone(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr(shared_prompt, "TOGETHER", together)
    torch.manual_seed(0)
    shape = LlamaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    model = LlamaForCausalLM(shape).eval()
    torch.nn.init.normal_(model.lm_head.weight, std=0.5)
    prompt, replies = [5, 9, 2, 7], [[8, 4], [], [11, 30, 6, 1, 12], [8], [40, 41, 42]]
    found = list(shared_prompt.judged(model, prompt, replies, END))
    for reply, one in zip(replies, found, strict=True):
        targets = torch.tensor([*reply, END])
        with torch.no_grad():
            alone = model(torch.tensor([[*prompt, *reply, END]]), output_hidden_states=True)
        chances = alone.logits[0, len(prompt) - 1 : -1].log_softmax(-1).gather(1, targets[:, None])
        assert one.nats == pytest.approx(float(chances.sum()), abs=1e-4)
        torch.testing.assert_close(one.last, alone.hidden_states[-1][0, -1], rtol=1e-4, atol=1e-5)
