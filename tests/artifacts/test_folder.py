"""The model folder is whole or absent, explains itself, and refuses what it cannot trust."""

import json
import pickle
from pathlib import Path

import pytest

from hearten.artifacts import folder
from hearten.data.source import load_examples
from hearten.errors import UserError
from hearten.systems.bm25.model import Bm25, Bm25Config

CONFIG = Bm25Config(k1=1.2, b=0.75, match="contexts", window=4, max_words=40)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    origin = folder.Origin("bm25", "tiny", 0, CONFIG.model_dump(), [], {"sample/train": "0" * 64}, "hearten train", "0")
    return folder.save(Bm25.prepare(CONFIG, load_examples("sample", "valid"), 0), origin, tmp_path / "model")


def test_a_failed_write_leaves_the_old_folder_and_no_remains(tmp_path: Path) -> None:
    place = tmp_path / "model"
    with folder.whole_folder(place) as draft:
        (draft / "file").write_text("old")
    with pytest.raises(RuntimeError), folder.whole_folder(place) as draft:
        (draft / "file").write_text("half")
        raise RuntimeError("power cut")
    assert (place / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_second_write_replaces_the_folder(tmp_path: Path) -> None:
    for content in ("first", "second"):
        with folder.whole_folder(tmp_path / "model") as draft:
            (draft / content).write_text(content)
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["second"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_it_stores_the_registry_name_and_no_import_path(saved: Path) -> None:
    stored = (saved / "config.json").read_text()
    assert json.loads(stored)["system"] == "bm25"
    assert "hearten." not in stored


def test_a_folder_of_a_later_schema_is_refused(saved: Path) -> None:
    table = json.loads((saved / "config.json").read_text())
    (saved / "config.json").write_text(json.dumps({**table, "schema": 99}))
    with pytest.raises(UserError, match="schema 99"):
        folder.load(saved)


def test_a_folder_without_config_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a model folder"):
        folder.load(tmp_path)


def test_truncated_weights_are_refused_with_advice(saved: Path) -> None:
    weights = saved / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(UserError, match="not a readable safetensors file"):
        folder.load(saved)


def test_pickled_weights_are_refused_and_never_run(saved: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (open, (str(tmp_path / "sprung"), "w"))  # type: ignore[return-value]

    (saved / "model.safetensors").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(UserError, match="not a readable safetensors file"):
        folder.load(saved)
    assert not (tmp_path / "sprung").exists()


def test_settings_that_no_longer_fit_are_named(saved: Path) -> None:
    table = json.loads((saved / "config.json").read_text())
    table["settings"]["k1"] = -1
    (saved / "config.json").write_text(json.dumps(table))
    with pytest.raises(UserError, match="k1"):
        folder.load(saved)
