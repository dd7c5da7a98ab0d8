"""The head on replies only, against the loss with all logits."""

import pytest
import torch
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

from hearten.nn.reply_head import IGNORED, ReplyLoss


@pytest.fixture
def network() -> ReplyLoss:
    torch.manual_seed(0)
    shape = LlamaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    return ReplyLoss(LlamaForCausalLM(shape))


@pytest.fixture
def tensors() -> dict[str, torch.Tensor]:
    """Three rows, the last two padded on the right."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(0, 50, (3, 12), generator=generator)
    targets = torch.randint(0, 50, (3, 12), generator=generator)
    targets[:, :4] = IGNORED
    targets[1, 9:] = IGNORED
    targets[2, 6:] = IGNORED
    return {"ids": ids, "targets": targets}


def full_logit_loss(network: ReplyLoss, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
    logits = network.causal_lm(input_ids=tensors["ids"]).logits
    return functional.cross_entropy(logits.flatten(0, 1), tensors["targets"].flatten(), reduction="sum")


def test_its_loss_and_gradient_are_those_of_all_logits(network: ReplyLoss, tensors: dict[str, torch.Tensor]) -> None:
    full_logit_loss(network, tensors).backward()
    wanted = {name: weight.grad.clone() for name, weight in network.named_parameters() if weight.grad is not None}
    network.zero_grad()
    loss = network(tensors)["reply"]
    loss.backward()
    torch.testing.assert_close(loss, full_logit_loss(network, tensors), rtol=1e-5, atol=1e-5)
    assert wanted
    for name, weight in network.named_parameters():
        torch.testing.assert_close(weight.grad, wanted[name], rtol=1e-4, atol=1e-5)


def test_padding_on_the_right_changes_nothing(network: ReplyLoss, tensors: dict[str, torch.Tensor]) -> None:
    alone = {name: tensor[2:, :6] for name, tensor in tensors.items()}
    torch.testing.assert_close(network.row_nats(tensors)[2:], network.row_nats(alone), rtol=1e-5, atol=1e-5)


def test_the_rows_add_up_to_the_loss(network: ReplyLoss, tensors: dict[str, torch.Tensor]) -> None:
    total = network(tensors)["reply"].double()
    torch.testing.assert_close(network.row_nats(tensors).sum(), total, rtol=1e-5, atol=1e-5)


def test_logits_are_computed_for_targets_only(network: ReplyLoss, tensors: dict[str, torch.Tensor]) -> None:
    rows = []
    network.causal_lm.lm_head.register_forward_hook(lambda head, inputs, logits: rows.append(len(logits)))
    network(tensors)
    assert rows == [int((tensors["targets"] != IGNORED).sum())]
