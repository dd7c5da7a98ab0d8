"""Engine files assembled in the user's cache: from what, how often, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hearten import places, registry
from hearten.backbones import manifest
from hearten.decoding import Decoding
from hearten.engines import delta as deltas
from hearten.engines import gguf_files, learned
from hearten.engines.assemble import Source, Trained, assembled, serve, with_deltas
from hearten.engines.engine import Pair, open_engine
from hearten.engines.llama import Llama
from hearten.errors import UserError
from hearten.system import Array

pytest.importorskip("ctranslate2")
pytest.importorskip("gguf")

BACKBONE = "smollm2-135m-instruct"


def changed(tiny: Llama) -> dict[str, Array]:
    dice = np.random.default_rng(9)
    return {name: array + dice.normal(0, 0.1, array.shape).astype(np.float32) for name, array in tiny.tensors.items()}


@pytest.fixture
def delta(base: Path, tiny: Llama, tmp_path: Path) -> Path:
    path = tmp_path / "delta.safetensors"
    made = deltas.extract(tiny.tensors, changed(tiny), storage="float16")
    deltas.save(made, manifest.sha256(base), path)
    return path


def texts(served_from: Source, engine: str, precision: str) -> list[tuple[int, ...]]:
    served = serve(served_from, engine, precision)
    prompts = [served.tokenizer.encode(text).ids for text in ("I lost my dog", "Thank you, I am")]
    found = [one.ids for (one,) in served.engine.generate(prompts, Decoding(max_tokens=10))]
    served.engine.close()
    return found


@pytest.mark.parametrize(("engine", "precision"), [("ctranslate2", "float32"), ("llamacpp", "F32")])
def test_what_was_learned_is_served(engine: str, precision: str, base: Path, delta: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("xllamacpp")
    plain, tuned = Source(BACKBONE), Source(BACKBONE, (delta,))
    assert texts(tuned, engine, precision) == texts(tuned, "torch", "float32") != texts(plain, "torch", "float32")
    assert texts(plain, engine, precision) == texts(plain, "torch", "float32")


def test_files_are_assembled_once(base: Path, delta: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(BACKBONE, (delta,), (manifest.sha256(delta),))
    place = assembled(source, "ctranslate2")
    settings = json.loads((place / "engine.json").read_text())
    assert (settings["precision"], settings["base"]) == ("int8", manifest.sha256(base))
    monkeypatch.setattr(gguf_files, "read", lambda path: pytest.fail("read again"))
    base.unlink()  # the base is not needed any more
    assert assembled(source, "ctranslate2") == place


def test_each_precision_and_delta_has_files_of_its_own(base: Path, delta: Path) -> None:
    folders = {
        assembled(Source(BACKBONE, (delta,)), "ctranslate2", "int8"),
        assembled(Source(BACKBONE, (delta,)), "ctranslate2", "float32"),
        assembled(Source(BACKBONE), "ctranslate2", "int8"),
    }
    assert len(folders) == 3


@pytest.mark.parametrize("file", ["model.bin", "tokenizer.json", "engine.json"])
def test_damaged_files_are_not_used_but_made_again(file: str, base: Path) -> None:
    place = assembled(Source(BACKBONE), "ctranslate2")
    whole = (place / file).read_bytes()
    (place / file).write_bytes(whole[:-10] + b"tampered !")
    assert assembled(Source(BACKBONE), "ctranslate2") == place
    assert (place / file).read_bytes() == whole


def test_nothing_is_left_of_an_assembly_that_failed(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_files, "read", lambda path: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        assembled(Source(BACKBONE), "ctranslate2")
    assert not list((places.cache_folder() / "engines").iterdir())


def test_a_delta_other_than_the_pinned_one_is_refused(base: Path, delta: Path) -> None:
    pinned = Source(BACKBONE, (delta,), (manifest.sha256(delta),))
    delta.write_bytes(delta.read_bytes()[:-1] + b"\x01")
    with pytest.raises(UserError, match="not the delta it should be"):
        assembled(pinned, "ctranslate2")


def test_a_delta_of_another_base_is_refused(base: Path, delta: Path) -> None:
    deltas.save(deltas.load(delta), "0" * 64, delta)
    with pytest.raises(UserError, match="belongs to other weights"):
        assembled(Source(BACKBONE, (delta,)), "ctranslate2")


def test_deltas_of_different_bases_do_not_go_together(base: Path, delta: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    deltas.save(deltas.load(delta), "0" * 64, other)
    with pytest.raises(UserError, match="on top of different weights"):
        assembled(Source(BACKBONE, (delta, other)), "ctranslate2")


def test_an_unknown_engine_or_precision_is_named(base: Path) -> None:
    with pytest.raises(UserError, match="there is no engine 'lamacpp'; did you mean 'llamacpp'"):
        assembled(Source(BACKBONE), "lamacpp")
    with pytest.raises(UserError, match=r"no precision 'int4'; it has int8, float32"):
        assembled(Source(BACKBONE), "ctranslate2", "int4")


def test_serving_needs_neither_torch_nor_transformers(base: Path, delta: Path) -> None:
    code = f"""
import sys
sys.modules["torch"] = sys.modules["transformers"] = None
from pathlib import Path
from hearten.decoding import Decoding
from hearten.engines.assemble import Source, serve
served = serve(Source({BACKBONE!r}, (Path({str(delta)!r}),)), sys.argv[1])
print(len(served.engine.generate([[5, 6, 7]], Decoding(max_tokens=4, min_tokens=4))[0][0].ids))
served.engine.close()
"""
    for engine in ("ctranslate2", "llamacpp"):
        run = subprocess.run([sys.executable, "-c", code, engine], capture_output=True, text=True)
        assert run.stdout == "4\n", run.stderr


def test_a_trained_folder_becomes_a_delta(base: Path, tiny: Llama, tmp_path: Path) -> None:
    place = trained(tiny, tmp_path / "trained")
    losses = learned.write_delta(place, BACKBONE, tmp_path / "made.safetensors", megabytes=0.15)
    assert deltas.base_of(tmp_path / "made.safetensors") == manifest.sha256(base)
    assert len(losses) == 15 and all(0 < loss.error <= 1 for loss in losses)
    assert 0.05e6 < (tmp_path / "made.safetensors").stat().st_size < 0.15e6


def test_what_a_delta_missed_can_be_a_later_one(base: Path, tiny: Llama, tmp_path: Path) -> None:
    place = trained(tiny, tmp_path / "trained")
    tuned = learned.read_folder(place).tensors
    files = [tmp_path / "delta.safetensors", tmp_path / "delta-2.safetensors"]
    learned.write_delta(place, BACKBONE, files[0], megabytes=0.15)
    learned.write_delta(place, BACKBONE, files[1], megabytes=0.4, after=files[:1])
    misses = [
        sum(np.abs(made[name] - weights).sum() for name, weights in tuned.items())
        for made in (with_deltas(gguf_files.read(base), *files[:count]).tensors for count in (0, 1, 2))
    ]
    assert misses[1] < 0.9 * misses[0] and misses[2] < 0.1 * misses[1]
    assert len({assembled(Source(BACKBONE, tuple(files[:count])), "ctranslate2") for count in (1, 2)}) == 2


def trained(tiny: Llama, place: Path) -> Path:
    from safetensors.numpy import save_file

    place.mkdir()
    shape = tiny.shape
    architecture = {
        "model_type": "llama",
        "tie_word_embeddings": True,
        "num_hidden_layers": shape.layers,
        "hidden_size": shape.hidden,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "intermediate_size": shape.feed_forward,
        "vocab_size": shape.vocabulary,
        "max_position_embeddings": shape.context,
        "rms_norm_eps": float(np.float32(shape.epsilon)),
        "rope_parameters": {"rope_type": "default", "rope_theta": shape.rope_base},
    }
    (place / "architecture.json").write_text(json.dumps(architecture))
    tiny.tokenizer.save(str(place / "tokenizer.json"))
    save_file(changed(tiny), place / "model.safetensors")
    return place


def test_a_trained_folder_is_served_as_it_is(tiny: Llama, tmp_path: Path) -> None:
    place = trained(tiny, tmp_path / "trained")
    served = serve(Trained(place), "ctranslate2", "float32")
    [found] = served.engine.score([Pair([5, 6, 7], [8, 9])])
    served.engine.close()
    (tmp_path / "own").mkdir()
    registry.load("engine", "ctranslate2").write(learned.read_folder(place), tmp_path / "own", "float32")
    own = open_engine("ctranslate2", tmp_path / "own", tiny.end)
    assert [found] == own.score([Pair([5, 6, 7], [8, 9])])
    own.close()


def test_a_folder_that_holds_no_language_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not hold a trained model"):
        assembled(Trained(tmp_path))
    with pytest.raises(UserError, match="does not hold a trained language model"):
        learned.read_folder(tmp_path)
