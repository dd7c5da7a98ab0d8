"""The trainable reader: what it learns from, its losses, and learning from a teacher."""

import json
from pathlib import Path

import pytest
import torch

from hearten.artifacts import folder
from hearten.data.source import load_examples
from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.nn.weights import fill
from hearten.reader.layout import Layout
from hearten.systems.reader.export import export
from hearten.systems.reader.items import EMOTION_NUMBER, LABEL_NUMBER, lessons
from hearten.systems.reader.model import EmotionReader, of_export
from hearten.systems.reader.network import ASKED, IGNORED
from hearten.training.build import build
from hearten.training.log import read
from hearten.training.loop import train
from hearten.training.settings import recipe

SAD = Example(
    "a#2", (Turn("speaker", "my dog died"),), Turn("listener", "oh no", "sympathizing"), "sad", "The dog died."
)
LATER = Example(
    "a#4", (*SAD.context, SAD.reply, Turn("speaker", "thanks")), Turn("listener", "sure"), "sad", "The dog died."
)
TEXT = Example("t:1", (), Turn("speaker", "good luck!", "wishing"))


@pytest.fixture(scope="module")
def system() -> EmotionReader:
    built, _ = build(recipe("reader", "tiny"))
    assert isinstance(built, EmotionReader)
    return built


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(recipe("reader", "tiny", ["stage.0.steps=40"]), tmp_path_factory.mktemp("reader") / "model")


def with_settings(system: EmotionReader, **changes: object) -> EmotionReader:
    return EmotionReader(system.settings.model_copy(update=changes), system.network.encoder, system.tokenizer)


def tokens(system: EmotionReader, ids: list[int]) -> list[str]:
    return [system.tokenizer.id_to_token(number) for number in ids]


def test_turns_stand_between_separators(system: EmotionReader) -> None:
    read = tokens(system, system.layout.ids(["a", "a"]))
    assert read == ["[CLS]", "a", "[SEP]", "a", "[SEP]"]


def test_only_the_last_tokens_are_read_and_that_is_said(system: EmotionReader) -> None:
    layout = Layout(system.tokenizer, 8)
    assert tokens(system, layout.ids(["b " * 50, "a a a"])) == ["[CLS]", "b", "b", "[SEP]", "a", "a", "a", "[SEP]"]
    assert layout.is_cut(["b " * 50])
    assert not layout.is_cut(["b b b b b b"])
    assert layout.is_cut(["b b b b b b b"])


def test_special_tokens_in_a_text_are_plain_characters(system: EmotionReader) -> None:
    assert tokens(system, system.layout.ids(["a [SEP] a"])).count("[SEP]") == 1


def test_an_example_teaches_its_context_its_reply_and_its_situation_once(system: EmotionReader) -> None:
    found = list(lessons([SAD, LATER, TEXT], system.settings.model_copy(update={"situations_as_labels": False})))
    sad, sympathizing, wishing = EMOTION_NUMBER["sad"], LABEL_NUMBER["sympathizing"], LABEL_NUMBER["wishing"]
    assert [(one.texts, one.emotion, one.label, one.plan) for one in found] == [
        (("my dog died",), sad, IGNORED, sympathizing),
        (("oh no",), IGNORED, sympathizing, IGNORED),
        (("my dog died", "oh no", "thanks"), sad, IGNORED, IGNORED),
        (("good luck!",), IGNORED, wishing, IGNORED),
        (("The dog died.",), sad, IGNORED, IGNORED),
    ]


def test_replies_without_a_label_are_labelled_by_another_reader(system: EmotionReader) -> None:
    asking = Example("b#2", SAD.context, Turn("listener", "What happened to him? Was he ill?"), "sad")
    (found,) = lessons([asking], system.settings.model_copy(update={"plans": "shipped"}))
    assert found.plan == LABEL_NUMBER["questioning"]


def test_a_reader_goes_on_from_an_earlier_one(trained: Path, tmp_path: Path) -> None:
    later, _ = build(recipe("reader", "tiny", [f"system.start={trained}"]))
    earlier = folder.load(trained)
    assert isinstance(later, EmotionReader) and isinstance(earlier, EmotionReader)
    assert torch.equal(later.read([["my dog died"]]).emotion, earlier.read([["my dog died"]]).emotion)
    other = folder.save(*build(recipe("tfidf", "tiny")), tmp_path / "other")
    with pytest.raises(UserError, match="only from a reader"):
        build(recipe("reader", "tiny", [f"system.start={other}"]))


def test_situations_can_teach_both_heads_or_none(system: EmotionReader) -> None:
    both = with_settings(system, situations_as_labels=True).pack([SAD])[-1]
    assert (both.emotion, both.label) == (EMOTION_NUMBER["sad"], LABEL_NUMBER["sad"])
    assert len(with_settings(system, situations=False).pack([SAD])) == 2


def test_an_example_without_labels_cannot_be_encoded(system: EmotionReader) -> None:
    assert system.encode(SAD).emotion == EMOTION_NUMBER["sad"]
    with pytest.raises(UserError, match="neither a known emotion nor a known label"):
        system.encode(SAD.blind())


def test_every_target_weighs_the_same(system: EmotionReader) -> None:
    items = with_settings(system, situations_as_labels=True).pack([SAD, LATER, TEXT])
    whole = system.collate(items)
    assert whole.counts == {"emotion": 7, "label": 7, "plan": 7}  # five texts, of which two have two targets
    with torch.no_grad():
        together = system.network(whole.tensors)
        apart = [system.network(system.collate([item]).tensors) for item in items]
    for part in ("emotion", "label"):
        torch.testing.assert_close(together[part], sum(one[part] for one in apart), rtol=1e-5, atol=1e-5)


def test_padding_changes_nothing(system: EmotionReader) -> None:
    alone = system.read([["a"]])
    among = system.read([["so many more words than the other"], ["a"]])
    torch.testing.assert_close(among.emotion[1], alone.emotion[0], rtol=1e-5, atol=1e-5)


def test_labels_are_smoothed_only_while_learning(system: EmotionReader) -> None:
    smoothed = with_settings(system, smoothing=0.3, dropout=0.0)
    logits, targets = torch.tensor([[4.0, 0.0]]), torch.tensor([0])
    smoothed.network.train()
    learning = smoothed.network._loss(logits, targets)
    smoothed.network.eval()
    assert learning - smoothed.network._loss(logits, targets) == pytest.approx(0.15 * 4.0)


def test_heads_learn_faster_by_their_factor(system: EmotionReader) -> None:
    moved = []
    for factor in (1.0, 10.0):
        network = with_settings(system, head_rate=factor, dropout=0.0).network
        head = network.heads["emotion"]
        batch = system.collate(system.pack([SAD]))
        before = factor * head.weight.detach().clone()
        optimiser = torch.optim.Adam(head.parameters(), lr=1e-3)
        network(batch.tensors)["emotion"].backward()
        optimiser.step()
        moved.append((factor * head.weight.detach() - before).abs().max().item())
    assert moved[1] == pytest.approx(10 * moved[0], rel=0.01)


def test_it_learns(trained: Path, system: EmotionReader) -> None:
    looks = [line["loss"] for line in read(trained / "log.jsonl") if line["kind"] == "validation"]
    with torch.no_grad():
        batch = system.collate(system.pack(load_examples("sample", "valid")))
        untrained = sum(value.item() for value in system.network(batch.tensors).values()) / batch.counts["label"]
    assert looks[-1] < untrained - 0.1


def test_mixed_corpora_are_validated_and_noted() -> None:
    _, origin = build(recipe("reader", "tiny", ["stage.0.corpus=sample+sample"]))
    assert origin.data.keys() == {"sample/train", "sample/valid"}


def test_a_teacher_is_asked_once_and_not_needed_afterwards(trained: Path, tmp_path: Path) -> None:
    chosen = recipe("reader", "tiny", ["stage.0.steps=3", f"system.teacher={trained}"])
    place = train(chosen, tmp_path / "taught")
    line = next(line for line in read(place / "log.jsonl") if line["kind"] == "step")
    assert line["parts"]["distil"] > 0
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    config["settings"]["teacher"] = str(tmp_path / "gone")
    (place / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert isinstance(folder.load(place), EmotionReader)


@pytest.mark.parametrize("in_halves", [True, False])
def test_a_reader_learns_nothing_from_itself(
    trained: Path, in_halves: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTEN_CACHE", str(tmp_path))
    monkeypatch.setattr("hearten.systems.reader.teacher._halves_are_fast", lambda: in_halves)
    own = folder.load(trained)
    assert isinstance(own, EmotionReader)
    taught = with_settings(own, teacher=str(trained))
    taught.network.load_state_dict(own.network.state_dict())
    taught.network.eval()
    batch = taught.collate(taught.pack([SAD, TEXT]))
    with torch.no_grad():
        assert taught.network(batch.tensors)["distil"].item() == pytest.approx(
            0, abs=0.02
        )  # but for what is rounded away
    monkeypatch.setattr("hearten.systems.reader.teacher._teacher", lambda *_: pytest.fail("asked a second time"))
    assert len(taught.pack([SAD, TEXT])) == len(batch.tensors["ids"])


def test_a_teacher_is_asked_about_texts_that_nobody_labelled(trained: Path) -> None:
    own = folder.load(trained)
    assert isinstance(own, EmotionReader)
    shown = own.settings.model_copy(update={"teacher": str(trained), "views": True, "situations": False})
    sad, sympathizing = EMOTION_NUMBER["sad"], LABEL_NUMBER["sympathizing"]
    assert [(one.texts, one.emotion, one.label, one.plan) for one in lessons([SAD, LATER, TEXT], shown)] == [
        (("my dog died",), sad, ASKED, sympathizing),
        (("oh no",), IGNORED, sympathizing, IGNORED),
        (("my dog died", "oh no", "thanks"), sad, IGNORED, IGNORED),
        (("good luck!",), IGNORED, LABEL_NUMBER["wishing"], IGNORED),
        (("thanks",), ASKED, ASKED, IGNORED),
        (("sure",), IGNORED, ASKED, IGNORED),
        (("my dog died", "thanks"), ASKED, IGNORED, IGNORED),
    ]
    pupil = EmotionReader(shown, own.network.encoder, own.tokenizer, seed=1)
    views = [item for item in pupil.pack([SAD, LATER]) if max(item.emotion, item.label, item.plan) < 0]
    with torch.no_grad():
        losses = pupil.network(pupil.collate(views).tensors)
    assert losses["distil"] > 0 == losses["emotion"] == losses["label"] == losses["plan"]


def test_unlabelled_texts_need_a_teacher() -> None:
    with pytest.raises(UserError, match=r"views are labelled by a teacher: set system\.teacher too"):
        recipe("reader", "tiny", ["system.views=true"])


def test_an_exported_reader_can_learn_again(trained: Path, tmp_path: Path) -> None:
    before = folder.load(trained)
    other, _ = build(recipe("reader", "tiny", ["seed=1"]))
    assert isinstance(before, EmotionReader) and isinstance(other, EmotionReader)
    texts = [["my dog died"], ["we won the game!"]]
    whole, foreign = (reader.read(texts).emotion for reader in (before, other))
    fill(other.network, of_export(export(trained, tmp_path / "light"), other.network))
    assert (other.read(texts).emotion - whole).abs().max() < 0.1 * (foreign - whole).abs().max()
    narrow, _ = build(recipe("reader", "tiny", ["system.scratch.feed_forward=64"]))
    with pytest.raises(UserError, match="has another shape"):
        of_export(tmp_path / "light", narrow.network)


def test_an_export_with_a_scale_for_each_block_is_not_gone_on_from(trained: Path, tmp_path: Path) -> None:
    reader = folder.load(trained)
    assert isinstance(reader, EmotionReader)
    blocks = with_settings(reader, scales="block")
    place = export(folder.save(blocks, folder.read_origin(trained), tmp_path / "blocks"), tmp_path / "light")
    with pytest.raises(UserError, match="a scale for each block"):
        of_export(place, reader.network)


def test_going_on_from_the_shipped_reader_needs_its_backbone() -> None:
    with pytest.raises(UserError, match=r"needs a system\.backbone"):
        recipe("reader", "tiny", ["system.start=shipped"])


def test_a_teacher_has_to_be_a_reader(system: EmotionReader, tmp_path: Path) -> None:
    other = train(recipe("bm25", "tiny"), tmp_path / "bm25")
    with pytest.raises(UserError, match="holds a bm25; a reader can learn only from a reader"):
        with_settings(system, teacher=str(other)).pack([SAD])


def test_an_encoder_comes_from_exactly_one_place() -> None:
    with pytest.raises(UserError, match="either a backbone or"):
        recipe("reader", "tiny", ["system.backbone=all-minilm-l6-v2"])


@pytest.mark.parametrize("preset", ["fast", "strong", "taught"])
def test_the_larger_presets_are_valid(preset: str) -> None:
    assert recipe("reader", preset).settings.backbone
