"""Frozen layers that compute each text once."""

from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel, LlamaConfig, LlamaForCausalLM, MPNetConfig, MPNetModel

from hearten.errors import UserError
from hearten.training import stages
from hearten.training.freezing import freeze
from hearten.training.loop import train
from hearten.training.remembering import remembering
from hearten.training.settings import recipe

SHAPE = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
KINDS = [(BertModel, BertConfig), (MPNetModel, MPNetConfig), (LlamaForCausalLM, LlamaConfig)]
IDS = torch.tensor([[5, 6, 7, 8], [9, 8, 7, 0]])
MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])


def made(kind: tuple[type[nn.Module], type]) -> nn.Module:
    torch.manual_seed(3)
    network = nn.ModuleDict({"model": kind[0](kind[1](**SHAPE))})
    freeze(network, 2)
    return network


def layers(network: nn.Module) -> nn.ModuleList:
    return next(part for part in network.modules() if isinstance(part, nn.ModuleList))


def told(network: nn.Module, ids: Tensor = IDS, mask: Tensor = MASK) -> Tensor:
    out: Tensor = network["model"](ids, attention_mask=mask)[0]
    return out * mask[..., None]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_remembered_is_what_would_be_computed(kind: tuple[type[nn.Module], type]) -> None:
    network = made(kind).eval()
    plain = told(network)
    with remembering(network, 2):
        first, second = told(network), told(network)
        # Rows are told one by one: in another order, and padded otherwise.
        turned = told(network, IDS.flip(0)[:, :4], MASK.flip(0))
        alone = told(network, IDS[1:, :3], MASK[1:, :3])
    assert torch.allclose(first, plain)
    assert torch.allclose(second, plain, atol=1e-3)
    assert torch.allclose(turned.flip(0), plain, atol=1e-3)
    assert torch.allclose(alone[0], plain[1, :3], atol=1e-3)
    assert "forward" not in vars(layers(network)[1])
    assert torch.allclose(told(network), plain)


def test_known_texts_pass_the_frozen_layers_by() -> None:
    network = made(KINDS[1]).eval()
    plain = told(network)
    with remembering(network, 2):
        told(network)
        with torch.no_grad():
            for layer in layers(network)[:2]:
                for weight in layer.parameters():
                    weight.zero_()
        assert torch.allclose(told(network), plain, atol=1e-3)
        assert not torch.allclose(told(network, IDS + 1), plain, atol=1e-2)


def test_frozen_layers_drop_nothing_and_the_others_learn_as_ever() -> None:
    network = made((BertModel, BertConfig))
    told(network.eval()).sum().backward()
    expected = {name: weight.grad.clone() for name, weight in network.named_parameters() if weight.grad is not None}
    for layer in layers(network)[2:]:
        for part in layer.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0
    with remembering(network, 2):
        for _ in range(2):
            network.train()
            network.zero_grad()
            told(network).sum().backward()
            found = {name: weight.grad for name, weight in network.named_parameters() if weight.grad is not None}
            assert found.keys() == expected.keys()
            assert all(torch.allclose(found[name], expected[name], atol=2e-2) for name in expected)


def test_a_call_that_says_more_than_ids_is_computed() -> None:
    network = made(KINDS[0]).eval()
    places = torch.tensor([[3, 2, 1, 0]] * 2)
    plain = network["model"](IDS, attention_mask=MASK, position_ids=places)[0]
    left = told(network, IDS, MASK.flip(1))
    with remembering(network, 2):
        told(network)
        assert torch.allclose(network["model"](IDS, attention_mask=MASK, position_ids=places)[0], plain)
        assert torch.allclose(told(network, IDS, MASK.flip(1)), left)


def test_only_what_is_frozen_can_be_remembered() -> None:
    network = made(KINDS[0])
    with pytest.raises(UserError, match="frozen"), remembering(network, 3):
        pass
    with pytest.raises(UserError, match="frozen"), remembering(network, 0):
        pass


def test_a_stage_remembers_where_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def noted(network: nn.Module, count: int) -> AbstractContextManager[None]:
        asked.append(count)
        return remembering(network, count)

    monkeypatch.setattr(stages, "remembering", noted)
    short = ["stage.0.steps=2", "stage.0.frozen=1"]
    train(recipe("rashkin", "tiny", short), tmp_path / "plain")
    train(recipe("rashkin", "tiny", [*short, "stage.0.remember=true"]), tmp_path / "remembers")
    assert asked == [1]
