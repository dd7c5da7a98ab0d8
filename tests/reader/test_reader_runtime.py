"""The exported reader: agrees with the trained one, refuses what was changed, and survives what people type."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from hearten.artifacts import folder as models
from hearten.data.source import load_examples
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.reader import folder
from hearten.reader.model import Reader, said_last
from hearten.reader.session import Session
from hearten.system import LabelsUtterances, ReadsEmotion, normalised
from hearten.systems.reader.export import export, write_onnx
from hearten.systems.reader.model import EmotionReader
from hearten.taxonomy import EMOTIONS, LABELS
from hearten.training.loop import train
from hearten.training.settings import recipe


@pytest.fixture
def copy(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "copy"))


def contexts(count: int = 12) -> list[tuple[Turn, ...]]:
    return [example.context for example in load_examples("sample", "test")[:count]]


def test_unquantised_it_says_what_torch_says(model_folder: Path, tmp_path: Path) -> None:
    trained = models.load(model_folder)
    assert isinstance(trained, EmotionReader)
    write_onnx(trained, tmp_path / "model.onnx", quantised=False)
    session = Session(tmp_path / "model.onnx", trained.layout, threads=1)
    texts = [["a"], [""], ["many words " * 60], *([turn.text for turn in context] for context in contexts())]
    ours, theirs = session.logits(texts), trained.read(texts)
    np.testing.assert_allclose(ours["emotion"], theirs.emotion.numpy(), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(ours["label"], theirs.label.numpy(), rtol=1e-3, atol=1e-3)


def test_quantised_it_mostly_reads_the_same(model_folder: Path, reader: Reader) -> None:
    trained = models.load(model_folder)
    assert isinstance(trained, EmotionReader)
    texts = [[turn.text for turn in context] for context in contexts(60)]
    quantised = reader._session.logits(texts)["emotion"].argmax(axis=1)
    assert (quantised == trained.emotions(contexts(60)).argmax(axis=1)).mean() > 0.8


def test_with_a_scale_for_each_block_a_text_reads_nearly_as_in_torch_in_any_company(
    model_folder: Path, tmp_path: Path
) -> None:
    trained = models.load(model_folder)
    assert isinstance(trained, EmotionReader)
    trained.settings = trained.settings.model_copy(update={"scales": "block"})
    write_onnx(trained, tmp_path / "model.onnx")
    session = Session(tmp_path / "model.onnx", trained.layout, threads=1)
    texts = [[turn.text for turn in context] for context in contexts()]
    together = session.logits(texts)["emotion"]
    alone = np.concatenate([session.logits([one])["emotion"] for one in texts])
    np.testing.assert_allclose(together, alone, atol=1e-3)
    np.testing.assert_allclose(together, trained.read(texts).emotion.numpy(), atol=0.2)


def test_weights_and_embeddings_are_stored_in_a_byte_each(exported: Path) -> None:
    stored = onnx.load(exported / folder.MODEL).graph.initializer
    large = {one.name: one.data_type for one in stored if np.prod(one.dims) > 2000 and len(one.dims) > 1}
    assert len(large) >= 10
    assert set(large.values()) <= {onnx.TensorProto.INT8, onnx.TensorProto.UINT8}


def test_no_path_of_the_maker_is_in_the_model(exported: Path) -> None:
    assert b".py" not in (exported / folder.MODEL).read_bytes()


def test_probabilities_are_tempered_and_sorted(reader: Reader) -> None:
    reading = reader.read(contexts(1))[0]
    values = list(reading.probabilities.values())
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(1, abs=1e-5)
    assert reading.label == next(iter(reading.probabilities))
    texts = tuple(turn.text for turn in contexts(1)[0])
    head = reader.card.heads["emotion"]
    counted = reader._counted["emotion"].logits([said_last(texts, reader.card.max_tokens)])
    logits = reader._session.logits([texts])["emotion"] + head.counts_weight * counted
    expected = normalised(logits / head.temperature)[0]
    assert reading.probabilities["sad"] == pytest.approx(float(expected[EMOTIONS.index("sad")]))


def test_it_has_the_capabilities_of_a_system(reader: Reader) -> None:
    assert isinstance(reader, ReadsEmotion)
    assert isinstance(reader, LabelsUtterances)
    assert reader.emotions(contexts(3)).shape == (3, len(EMOTIONS))
    assert reader.labels(["why?", "congratulations"]).shape == (2, len(LABELS))
    assert reader.labels([]).shape == (0, len(LABELS))
    assert reader.read([]) == []


def test_a_reading_does_not_depend_on_its_company(reader: Reader) -> None:
    """Quantisation takes one scale for a whole batch, so that a trace of the company is left."""
    together = reader.emotions(contexts(8))
    alone = np.concatenate([reader.emotions([context]) for context in contexts(8)])
    np.testing.assert_allclose(together, alone, atol=0.05)


def test_calibration_was_measured_on_validation_texts(reader: Reader) -> None:
    for head in reader.card.heads.values():
        assert head.temperature > 0
        assert head.validation["texts"] > 50
        assert 0 <= head.validation["calibration_error"] <= 1


NO_WORDS = "there are no words to read"
STRANGE = "most of the words were never seen in training"


@pytest.mark.parametrize(
    ("text", "doubt", "is_cut"),
    [
        ("", NO_WORDS, False),
        (" \n\t ", NO_WORDS, False),
        ("\U0001f600\U0001f62d", NO_WORDS, False),
        ("\0\0", NO_WORDS, False),
        ("!" * 5000, NO_WORDS, True),
        ("Mein Hund ist gestern gestorben und ich bin traurig", STRANGE, False),
        ("\u6211\u5f88\u96be\u8fc7", STRANGE, False),
        ("\u043c\u043d\u0435 \u0433\u0440\u0443\u0441\u0442\u043d\u043e", STRANGE, False),
        ("I was so sad\0 \ud800", "", False),
        ("I was so sad when he left. " * 2000, "", True),
    ],
)
def test_whatever_is_typed_gets_a_clear_answer(reader: Reader, text: str, doubt: str, is_cut: bool) -> None:
    for reading in (*reader.read([text]), *reader.read_utterances([text])):
        assert (reading.unsure or "").startswith(doubt)
        assert reading.is_cut == is_cut
        assert np.isfinite(list(reading.probabilities.values())).all()


def test_only_the_end_of_a_long_text_counts(reader: Reader) -> None:
    long, longer = (f"{'x ' * count}{'I was so sad ' * 60}" for count in (0, 500))
    assert reader.read([long])[0].probabilities == reader.read([longer])[0].probabilities


def test_a_reading_below_the_threshold_is_unsure(exported: Path) -> None:
    reader = Reader.load(exported, threads=1)
    for threshold, is_unsure in ((0.0, False), (1.1, True)):
        object.__setattr__(reader.card.heads["emotion"], "unsure_below", threshold)
        reading = reader.read(["I was so sad when she left"])[0]
        assert (reading.unsure is not None) == is_unsure


def test_reading_needs_no_torch(exported: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from hearten.reader.model import Reader;"
        f"Reader.load(Path({str(exported)!r})).read(['I am sad'], evidence=True);"
        "print(sorted({'torch', 'transformers', 'sklearn', 'onnx', 'matplotlib'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


@pytest.mark.parametrize("name", folder.FILES)
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    with (copy / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(UserError, match=f"{name} is not the file that"):
        Reader.load(copy)


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / folder.WORDS).unlink()
    with pytest.raises(UserError, match=r"lacks words\.txt"):
        Reader.load(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 9}, "has schema 9"),
        ({"heads": {"emotion": {}}}, "is damaged"),
        ({"sha256": {}}, "gives no SHA-256 for counts.safetensors, model.onnx"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(copy: Path, change: dict[str, object], message: str) -> None:
    card = json.loads((copy / folder.CARD).read_text(encoding="utf-8"))
    (copy / folder.CARD).write_text(json.dumps(card | change), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        Reader.load(copy)


def test_a_folder_without_a_card_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="hearten train reader"):
        Reader.load(tmp_path)


def test_only_a_reader_can_be_exported(tmp_path: Path) -> None:
    other = train(recipe("bm25", "tiny"), tmp_path / "bm25")
    with pytest.raises(UserError, match="holds a bm25; only a reader"):
        export(other, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_exported_reader_can_be_completed_anew(exported: Path, reader: Reader, tmp_path: Path) -> None:
    again = Reader.load(export(exported, tmp_path / "again"), threads=1)
    assert again.card.sha256 == reader.card.sha256
    assert again.card.heads["plan"] == reader.card.heads["plan"]
    np.testing.assert_allclose(again.emotions(contexts(3)), reader.emotions(contexts(3)), atol=1e-6)


def test_one_pass_reads_the_feeling_and_expects_the_reply(reader: Reader) -> None:
    context = contexts(1)[0]
    reading, expected = reader.read_and_expect(context)
    assert reading == reader.read([context])[0]
    likely = reader.intents([context])[0]
    assert list(expected) == [LABELS[place] for place in np.argsort(-likely, kind="stable")]
    assert max(expected.values()) == pytest.approx(float(likely.max()))
    heads = {name: head for name, head in reader.card.heads.items() if name != "plan"}
    naive = Reader(replace(reader.card, heads=heads), reader._session, frozenset(), {})
    assert naive.read_and_expect(context)[1] == {}
