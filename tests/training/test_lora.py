"""Low-rank adapters."""

import pytest
import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

from hearten.errors import UserError
from hearten.training import lora
from hearten.training.settings import Stage

STAGE = Stage(corpus="sample", lora_rank=4)


@pytest.fixture
def network() -> nn.Module:
    torch.manual_seed(0)
    shape = LlamaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    return nn.ModuleDict({"lm": LlamaForCausalLM(shape).eval()})


def test_only_adapters_learn_and_merging_keeps_the_function(network: nn.Module) -> None:
    ids = torch.arange(10)[None]
    names = set(network.state_dict())
    before = network["lm"](ids).logits
    network["lm"].model.embed_tokens.weight.requires_grad_(False)
    learning = lora.inject(network, STAGE)
    assert all("lora_" in name for name, weight in network.named_parameters() if weight.requires_grad)
    for name, weight in network.named_parameters():
        if "lora_B" in name:
            nn.init.normal_(weight, std=0.1)
    adapted = network["lm"](ids).logits
    assert not torch.allclose(adapted, before, atol=1e-3)
    lora.merge(network, learning)
    torch.testing.assert_close(network["lm"](ids).logits, adapted, rtol=1e-4, atol=1e-5)
    assert set(network.state_dict()) == names
    frozen = [name for name, weight in network.named_parameters() if not weight.requires_grad]
    assert frozen == ["lm.model.embed_tokens.weight"]


def test_a_network_without_usual_places_needs_them_named() -> None:
    network = nn.ModuleDict({"first": nn.Linear(3, 3)})
    with pytest.raises(UserError, match="lora_targets"):
        lora.inject(network, STAGE)
    with pytest.raises(UserError, match="lora_targets"):
        lora.inject(network, STAGE.model_copy(update={"lora_targets": ("second",)}))
    lora.inject(network, STAGE.model_copy(update={"lora_targets": ("first",)}))


def test_dropout_is_put_before_the_adapters_and_gone_once_they_are_merged(network: nn.Module) -> None:
    def chances() -> set[float]:
        return {module.p for name, module in network.named_modules() if "lora_dropout" in name and hasattr(module, "p")}

    learning = lora.inject(network, STAGE.model_copy(update={"lora_dropout": 0.25}))
    assert chances() == {0.25}
    lora.merge(network, learning)
    assert chances() == set()
