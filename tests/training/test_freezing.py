"""Layers that stay as they are."""

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, LlamaConfig, LlamaForCausalLM, MPNetConfig, MPNetModel

from hearten.errors import UserError
from hearten.training import optim
from hearten.training.freezing import freeze
from hearten.training.settings import Stage

SHAPE = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}


def learning(network: nn.Module) -> set[str]:
    return {name for name, weight in network.named_parameters() if weight.requires_grad}


def test_the_upper_layers_of_a_language_model_and_what_is_on_top_of_them_learn() -> None:
    model = LlamaForCausalLM(LlamaConfig(**SHAPE, tie_word_embeddings=True))
    network = nn.ModuleDict({"lm": model, "own": nn.Linear(16, 2)})
    freeze(network, 2)
    places = {name.removeprefix("lm.model.").partition(".")[0] for name in learning(network)}
    assert places == {"layers", "norm", "own"}
    assert all(".layers.2." in name for name in learning(network) if "layers" in name)
    below = {name: weight.clone() for name, weight in network.named_parameters() if not weight.requires_grad}
    optimiser = optim.adamw(network, Stage(corpus="sample", lr=0.1))
    ids = torch.arange(10)[None]
    before = model(ids).logits
    model(ids, labels=ids).loss.backward()
    optimiser.step()
    assert all(torch.equal(dict(network.named_parameters())[name], weight) for name, weight in below.items())
    assert not torch.allclose(model(ids).logits, before)


@pytest.mark.parametrize("kind", [(BertModel, BertConfig), (MPNetModel, MPNetConfig)])
def test_nothing_below_the_layers_that_learn_takes_part_in_the_backward_pass(
    kind: tuple[type[nn.Module], type],
) -> None:
    model, config = kind
    network = nn.ModuleDict({"left": model(config(**SHAPE)), "right": model(config(**SHAPE))})
    freeze(network, 1)
    for tower in network.values():
        lowest = tower.encoder.layer[0]
        seen: list[bool] = []
        lowest.register_forward_hook(lambda _, __, out, seen=seen: seen.append((out[0]).requires_grad))
        tower(torch.arange(8)[None])
        assert seen == [False]
        assert any(weight.requires_grad for weight in tower.encoder.layer[1].parameters())


def test_there_must_be_layers_and_one_of_them_has_to_learn() -> None:
    with pytest.raises(UserError, match="has 3 layers"):
        freeze(nn.ModuleDict({"lm": LlamaForCausalLM(LlamaConfig(**SHAPE))}), 3)
    with pytest.raises(UserError, match="no pretrained model"):
        freeze(nn.Linear(2, 2), 1)
