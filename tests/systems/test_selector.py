"""The selector: which conversations meet in a group, and what is learned of them."""

from pathlib import Path

import numpy as np
import pytest
import torch

import hearten
from hearten.data.source import load_examples
from hearten.dialogue import Example, Turn
from hearten.listener.load import Choice, parts
from hearten.listener.manner import Manner
from hearten.systems.selector.groups import groups
from hearten.systems.selector.model import Selector
from hearten.training.build import build
from hearten.training.settings import recipe


@pytest.fixture(scope="module")
def system() -> Selector:
    built, _ = build(recipe("selector", "tiny", ["system.sharpness=0.5"]))
    assert isinstance(built, Selector)
    return built


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return load_examples("sample", "train")[:40]


def example(dialogue: str, reply: str) -> Example:
    return Example(f"{dialogue}#2", (Turn("speaker", "hello"),), Turn("listener", reply))


def test_those_that_look_alike_meet() -> None:
    kinds = np.repeat(np.eye(5), 3, axis=0)
    many = [example(f"d{number}", f"reply {number}") for number in range(15)]
    found = groups(many, kinds, kinds, size=3, among=15)
    assert sorted(sorted(group) for group in found) == [[3 * kind + place for place in range(3)] for kind in range(5)]


def test_a_conversation_never_meets_itself_and_a_reply_never_its_copy() -> None:
    same = np.ones((6, 2))
    told = [("a", "Oh no!"), ("a", "I see."), ("b", "oh no! "), ("b", "Why?"), ("c", "Really?"), ("d", "Well done!")]
    many = [example(*one) for one in told]
    found = groups(many, same, same, size=3, among=6)
    assert found
    for group in found:
        assert len({told[number][0] for number in group}) == 3
        assert len({told[number][1].strip().lower() for number in group}) == 3


def test_the_choice_is_made_by_how_much_likelier_a_conversation_makes_a_reply(
    system: Selector, examples: list[Example]
) -> None:
    group = system.pack(examples)[0]
    texts = [system._layout.text(reply) for reply in group.replies]
    own = {one.reply.text.strip(): one for one in examples}
    gains = 0.5 * system.affinity([own[text].context for text in texts], texts)
    by_reply = np.diag(gains) - np.logaddexp.reduce(gains, axis=1)
    by_context = np.diag(gains) - np.logaddexp.reduce(gains, axis=0)
    batch = system.collate([group])
    with torch.no_grad():
        found = system.network(batch.tensors)
    assert float(found["choice"]) == pytest.approx(-(by_reply + by_context).sum() / 2, rel=1e-4)
    nats = sum(one.nats for one in system.log_likelihood([own[text] for text in texts]))
    assert float(found["reply"]) == pytest.approx(-nats, rel=1e-4)
    assert batch.counts["choice"] == len(texts)


def test_groups_of_a_batch_do_not_mix(system: Selector, examples: list[Example]) -> None:
    packed = [*system.pack(examples)[:2], system.encode(examples[0])]
    with torch.no_grad():
        together = system.network(system.collate(packed).tensors)
        apart = [system.network(system.collate([one]).tensors) for one in packed]
    for part, value in together.items():
        assert float(value) == pytest.approx(sum(float(one[part]) for one in apart), rel=1e-4)
    assert float(apart[-1]["choice"]) == pytest.approx(0.0, abs=1e-9)


def test_it_learns_to_choose(examples: list[Example]) -> None:
    built, _ = build(recipe("selector", "tiny"))
    assert isinstance(built, Selector)
    group = built.pack(examples)[0]
    batch = built.collate([group])
    optimiser = torch.optim.AdamW(built.network.parameters(), lr=3e-3)
    losses = []
    for _ in range(25):
        loss = built.network(batch.tensors)["choice"]
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert losses[-1] < 0.1 * losses[0]


def test_the_listener_takes_it_in_the_generators_place(tmp_path: Path) -> None:
    place = hearten.train("selector", "tiny", ["stage.0.steps=1"], tmp_path / "selector")
    manner = Manner(reads=False, plans=0, ranks=False)
    generator = parts(Choice(generator=str(place), engine="torch", shelf="none"), manner).generator
    assert generator is not None
    context, texts = [Turn("speaker", "I lost my keys.")], ["Where did you have them last?", "Happy birthday!"]
    gains = generator.judge(context, texts).nats - generator.judge((), texts).nats
    loaded = hearten.load(place)
    assert isinstance(loaded, Selector)
    np.testing.assert_allclose(gains, loaded.affinity([context], texts)[0], rtol=1e-3)
    generator.close()
