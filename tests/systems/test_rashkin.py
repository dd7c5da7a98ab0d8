"""The retrieval system: its layout, loss, memory saving, replies, labels and folder."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

from hearten.artifacts import folder
from hearten.data.source import load_examples
from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.listener.shipped import ranker
from hearten.retrieval.encoder import Encoder
from hearten.retrieval.layout import Layout
from hearten.system import Trainable
from hearten.systems.rashkin import model as module
from hearten.systems.rashkin.encoders import ABSENT, Tower, chances, embed, padded, repeated, unlikeness
from hearten.systems.rashkin.model import Pair, Rashkin, limits
from hearten.systems.rashkin.onnx import export
from hearten.systems.rashkin.scratch import CLOSING, cut, learn_tokenizer, learn_vectors
from hearten.systems.rashkin.settings import Scratch
from hearten.systems.rashkin.teacher import of_tokens
from hearten.training.build import build
from hearten.training.log import read
from hearten.training.loop import train
from hearten.training.settings import recipe

CONTEXT = (Turn("speaker", "I lost my dog"), Turn("listener", "I am sorry"), Turn("speaker", "Thank you"))
EXAMPLE = Example("a#4", CONTEXT, Turn("listener", "Tell me more"))


def built(*overrides: str) -> Rashkin:
    system, _ = build(recipe("rashkin", "tiny", list(overrides)))
    assert isinstance(system, Rashkin)
    return system


@pytest.fixture(scope="module")
def system() -> Iterator[Rashkin]:
    yield built()


def text_of(system: Rashkin, ids: list[int]) -> str:
    return " ".join(str(system.tokenizer.decode(ids, skip_special_tokens=False)).split())


def layout_with(system: Rashkin, **changed: object) -> Layout:
    return Layout(system.tokenizer, limits(system.settings.model_copy(update=changed)))


def test_turns_are_joined_by_a_separator(system: Rashkin) -> None:
    pair = system.encode(EXAMPLE)
    assert text_of(system, pair.context) == "[CLS] i lost my dog[SEP] i am sorry[SEP] thank you[SEP]"
    assert text_of(system, pair.reply) == "[CLS] tell me more[SEP]"


def test_a_batch_is_budgeted_by_pairs(system: Rashkin) -> None:
    assert isinstance(system, Trainable)
    assert len(system.encode(EXAMPLE)) == 1


@pytest.mark.parametrize(("keep", "kept"), [("last", slice(-4, None)), ("first", slice(4))])
def test_a_long_context_keeps_the_end_it_is_told_to(system: Rashkin, keep: str, kept: slice) -> None:
    whole = system.layout.context(CONTEXT)
    ids = layout_with(system, max_context=4, keep=keep).context(CONTEXT)
    assert ids == [whole[0], *whole[1:-1][kept], whole[-1]]


def test_only_the_last_turns_are_read(system: Rashkin) -> None:
    assert layout_with(system, window=1).context(CONTEXT) == system.layout.context(CONTEXT[-1:])
    assert layout_with(system, window=None).context(CONTEXT * 3) == system.layout._enclosed(
        layout_with(system, window=9).context(CONTEXT * 3)[1:-1], ""
    )


def test_special_tokens_in_a_text_are_plain_characters(system: Rashkin) -> None:
    closing = system.tokenizer.token_to_id("[SEP]")
    assert system.layout.reply("so [SEP] what").count(closing) == 1


def test_the_loss_is_that_of_picking_each_reply_among_those_of_the_batch(system: Rashkin) -> None:
    pairs = [system.encode(example) for example in load_examples("sample", "train", limit=6)]
    batch = system.collate(pairs)
    with torch.no_grad():
        loss = system.network(batch.tensors)["ranking"].item()
    contexts = embed(system.network.contexts, [pair.context for pair in pairs])
    replies = embed(system.network.candidates, [pair.reply for pair in pairs])
    scores = contexts @ replies.T / system.settings.temperature
    expected = np.log(np.exp(scores).sum(axis=1)) - np.diagonal(scores)
    assert batch.counts == {"ranking": len(pairs)}
    assert loss == pytest.approx(expected.sum(), rel=1e-4)


def test_the_same_reply_twice_in_a_batch_is_not_a_wrong_choice(system: Rashkin) -> None:
    assert repeated(torch.tensor([0, 1, 0])).tolist() == [[False, False, True], [False] * 3, [True, False, False]]
    same = [Pair(system.layout.context(CONTEXT[:n]), system.layout.reply("Tell me more")) for n in (1, 3)]
    with torch.no_grad():
        assert system.network(system.collate(same).tensors)["ranking"].item() == pytest.approx(0, abs=1e-6)


def test_repeated_replies_get_the_same_number(system: Rashkin) -> None:
    batch = system.collate([Pair([1, 2], [5, 6]), Pair([1], [7]), Pair([3], [5, 6])])
    assert batch.tensors["reply_numbers"].tolist() == [0, 1, 0]
    assert batch.tensors["replies"].tolist() == [[5, 6], [7, ABSENT], [5, 6]]


def test_a_symmetric_loss_also_picks_contexts(system: Rashkin) -> None:
    batch = system.collate([system.encode(example) for example in load_examples("sample", "train", limit=4)])
    turned = {**batch.tensors, "contexts": batch.tensors["replies"], "replies": batch.tensors["contexts"]}
    one_way = built("system.shared=true")
    both_ways = built("system.shared=true", "system.symmetric=true")
    with torch.no_grad():
        sums = [one_way.network(tensors)["ranking"].item() for tensors in (batch.tensors, turned)]
        assert both_ways.network(batch.tensors)["ranking"].item() == pytest.approx(sum(sums) / 2, rel=1e-5)


@pytest.mark.parametrize("chunk", [1, 5])
def test_encoding_twice_leaves_loss_and_gradient_as_they_are(chunk: int) -> None:
    gradients, losses = [], []
    for size in (0, chunk):
        system = built(f"system.chunk={size}", "system.dropout=0.0")
        system.network.train()
        batch = system.collate([system.encode(example) for example in load_examples("sample", "train", limit=5)])
        loss = system.network(batch.tensors)["ranking"]
        loss.backward()
        losses.append(loss.item())
        gradients.append([weight.grad.clone() for weight in system.network.parameters() if weight.grad is not None])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


def test_padding_does_not_change_a_vector(system: Rashkin) -> None:
    short, long = system.layout.reply("Tell me more"), system.layout.reply("I am so sorry to hear that, really")
    tower = system.network.candidates
    with torch.no_grad():
        together, alone = tower(padded([short, long]))[0], tower(padded([short]))[0]
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)


def test_pooling_takes_the_mean_or_the_first_token(system: Rashkin) -> None:
    transformer = system.network.contexts.transformer
    ids = torch.tensor([system.layout.reply("Tell me more")])
    with torch.no_grad():
        states = transformer(ids).last_hidden_state[0]
        for pooling, expected in (("mean", states.mean(0)), ("first", states[0])):
            settings = system.settings.model_copy(update={"pooling": pooling, "normalise": False})
            torch.testing.assert_close(Tower(transformer, settings, 0)(ids)[0], expected)


def test_one_encoder_can_serve_both_sides() -> None:
    shared = built("system.shared=true")
    assert shared.network.contexts is shared.network.candidates
    assert len(list(built().network.parameters())) == 2 * len(list(shared.network.parameters()))


def test_affinity_is_the_dot_product_and_each_text_is_encoded_once(
    system: Rashkin, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []

    def counted(tower: Tower, rows: list[list[int]]) -> np.ndarray:
        encoded.append(len(rows))
        return embed(tower, rows)

    monkeypatch.setattr(module, "embed", counted)
    system._vectors = {}
    first = system.affinity([CONTEXT], ["yes", "no", "yes"])
    again = system.affinity([CONTEXT], ["no", "yes", "maybe"])
    assert sorted(encoded) == [1, 1, 2]
    np.testing.assert_array_equal(first[0, :2], again[0, 1::-1])


def test_a_reply_is_the_candidate_with_the_largest_affinity(system: Rashkin) -> None:
    replies = system.reply(CONTEXT, n=3)
    pool = system.collection.candidates
    scores = system.affinity([CONTEXT], [candidate.text for candidate in pool])[0]
    assert replies[0].score == pytest.approx(scores.max(), abs=1e-2)
    assert replies[0].source in {candidate.id for candidate in pool}
    assert len({reply.text for reply in replies}) == 3
    many = system.reply_many([CONTEXT, CONTEXT[:1]])
    assert [reply.source for reply in many] == [system.reply(c)[0].source for c in (CONTEXT, CONTEXT[:1])]


def test_vectors_are_made_anew_when_the_weights_change() -> None:
    system = built()
    before, score = system.collection, system.affinity([CONTEXT], ["yes"])[0, 0]
    assert system.collection is before
    with torch.no_grad():
        for weight in system.network.parameters():
            weight.add_(0.1 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(0)))
    assert system.collection is not before
    assert system.affinity([CONTEXT], ["yes"])[0, 0] != score


def test_a_large_pool_is_searched_by_its_graph_from_the_folder(tmp_path: Path) -> None:
    place = train(recipe("rashkin", "tiny", ["stage.0.steps=1", "system.exact_up_to=10"]), tmp_path / "model")
    again = folder.load(place)
    assert isinstance(again, Rashkin)
    assert not again.collection.index.is_exact
    assert again.reply(CONTEXT)[0].text


def test_the_encoders_come_from_exactly_one_place() -> None:
    with pytest.raises(UserError, match="either a backbone or"):
        recipe("rashkin", "tiny", ["system.backbone=all-minilm-l6-v2"])


def test_the_tiny_preset_learns(tmp_path: Path) -> None:
    place = train(recipe("rashkin", "tiny"), tmp_path / "model")
    losses = [line["loss"] for line in read(place / "log.jsonl") if line["kind"] == "step"]
    assert sum(losses[-5:]) / 5 < 0.92 * losses[0]


def test_tokens_may_begin_with_vectors_that_know_which_of_them_go_together() -> None:
    topics, random = ["cat dog milk fur paws basket", "train bus noon ticket station delay"], Random(0)
    texts = [" ".join(random.choices(random.choice(topics).split(), k=8)) for _ in range(1000)]
    settings = Scratch(vocabulary=400, hidden=16, layers=1, heads=2, feed_forward=16, vector_epochs=30)
    tokenizer = learn_tokenizer(texts, settings.vocabulary)
    vectors = learn_vectors(texts, tokenizer, settings, seed=1)
    assert vectors.equal(learn_vectors(texts, tokenizer, settings, seed=1))

    def alike(one: str, other: str) -> float:
        pair = [vectors[tokenizer.encode(f" {word}", add_special_tokens=False).ids[-1]] for word in (one, other)]
        return float(torch.cosine_similarity(*pair, dim=0))

    pets, travels = (topic.split() for topic in topics)
    for word, friends, strangers in [("cat", pets, travels), ("bus", travels, pets)]:
        assert min(alike(word, friend) for friend in friends) > max(alike(word, stranger) for stranger in strangers)
    unseen = tokenizer.token_to_id(CLOSING)
    assert 0 < vectors[unseen].norm() < vectors[tokenizer.encode(" cat", add_special_tokens=False).ids[-1]].norm()


def test_both_encoders_begin_with_the_same_vectors_and_go_their_own_ways() -> None:
    system = built("system.scratch.vector_epochs=1", "stage.0.steps=1")
    contexts, candidates = (tower.transformer.get_input_embeddings().weight for tower in system.network.towers)
    assert contexts.equal(candidates)
    assert contexts.data_ptr() != candidates.data_ptr()
    assert not contexts.equal(built().network.contexts.transformer.get_input_embeddings().weight)


@pytest.fixture(scope="module")
def teacher(system: Rashkin, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(system, tmp_path_factory.mktemp("teacher") / "light") / "encoder"


@pytest.mark.weights
def test_learning_can_go_on_from_the_shipped_ranker(real_encoder: str) -> None:
    light = Encoder(ranker("shipped"), threads=1)
    contexts = [example.context for example in load_examples("sample", "valid")[:12]]
    overrides = ["stage.0.corpus=sample", 'system.pool=["sample"]', "system.start=shipped"]
    bare, begun = (build(recipe("rashkin", "minilm", given))[0] for given in (overrides[:2], overrides))
    assert isinstance(bare, Rashkin) and isinstance(begun, Rashkin)
    theirs = light.contexts(contexts)
    likeness = [
        (theirs * embed(system.network.contexts, [system.layout.context(context) for context in contexts])).sum(1)
        for system in (bare, begun)
    ]
    assert likeness[1].min() > 0.98 > likeness[0].mean()


def test_going_on_from_the_shipped_ranker_needs_its_backbone() -> None:
    with pytest.raises(UserError, match=r"needs a system\.backbone"):
        recipe("rashkin", "tiny", ["system.start=shipped"])


def test_an_encoder_learns_nothing_from_itself(system: Rashkin, teacher: Path) -> None:
    examples = load_examples("sample", "valid")[:12]
    losses = []
    for seed in (0, 1):
        pupil = built(f"system.teacher={teacher}", f"seed={seed}")
        with torch.no_grad():
            losses.append(pupil.network(pupil.collate(pupil.pack(examples)).tensors)["taught"].item())
    assert losses[0] < losses[1] / 10
    assert "taught_contexts" not in system.collate(system.pack(examples)).tensors


def test_what_a_teacher_finds_alike_is_learned(teacher: Path, tmp_path: Path) -> None:
    chosen = recipe("rashkin", "tiny", [f"system.teacher={teacher}", "seed=1", "stage.0.steps=20"])
    place = train(chosen, tmp_path / "pupil")
    told = [line["parts"]["taught"] for line in read(place / "log.jsonl") if line["kind"] == "step"]
    assert told[-1] < told[0] / 2
    assert isinstance(folder.load(place), Rashkin)


def test_tokens_begin_with_what_the_teacher_makes_of_them(teacher: Path) -> None:
    pupil = built(f"system.teacher={teacher}", "system.scratch.taught_vectors=true", "seed=1")
    theirs = of_tokens(str(teacher), pupil.tokenizer)
    own = pupil.network.contexts.transformer.get_input_embeddings().weight.detach().numpy()
    centred = theirs - theirs.mean(axis=0)
    assert own @ own.T == pytest.approx(centred @ centred.T, abs=1e-3)  # no direction is lost: both are 48 wide
    narrow = cut(theirs, 8)
    kept, whole = narrow.var(0).sum().item(), centred.var(axis=0).sum()
    assert whole / 6 < kept < whole and (narrow.var(0).diff() <= 1e-6).all()
    with pytest.raises(UserError, match=r"have 48 numbers; set system\.scratch\.hidden to no more"):
        cut(theirs, 49)


def test_vectors_of_a_teacher_need_a_teacher() -> None:
    with pytest.raises(UserError, match=r"needs a teacher: set system\.teacher too"):
        recipe("rashkin", "tiny", ["system.scratch.taught_vectors=true"])


def test_a_text_is_never_taken_for_itself_whatever_the_precision() -> None:
    torch.manual_seed(0)
    contexts, replies = 4 * torch.eye(3, 4), torch.randn(3, 4)
    found = chances(contexts, contexts, 0.5).exp()
    assert found.diagonal().sum() == 0 and found.sum(1).allclose(torch.ones(3))
    assert chances(contexts, replies, 0.5).exp().diagonal().sum() > 0
    halves = contexts.half(), replies.half()
    assert unlikeness((contexts, replies), halves, 0.5).item() == pytest.approx(0, abs=1e-3)


def test_unlikeness_is_nothing_for_turned_vectors_and_grows_with_noise() -> None:
    torch.manual_seed(0)
    own = torch.randn(5, 4), torch.randn(5, 4)
    turn, _ = torch.linalg.qr(torch.randn(4, 4))
    turned = tuple(vectors @ turn for vectors in own)
    assert unlikeness(own, turned, 0.5).item() == pytest.approx(0, abs=1e-4)
    little, much = (unlikeness(own, tuple(v + size * torch.randn(5, 4) for v in own), 0.5) for size in (0.1, 1.0))
    assert 0 < little < much
