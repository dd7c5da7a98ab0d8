"""The real base weights in every engine, where they have been pulled before."""

from pathlib import Path

import numpy as np
import pytest

from hearten import registry
from hearten.decoding import Decoding
from hearten.engines import assemble, gguf_files
from hearten.engines.engine import Engine, Pair, open_engine
from hearten.engines.llama import Llama

pytest.importorskip("torch")
pytest.importorskip("ctranslate2")
pytest.importorskip("xllamacpp")

pytestmark = pytest.mark.weights

ASKED = ["I lost my dog in the park yesterday.", "My sister is getting married!", "Nobody came to my birthday."]


def opened(model: Llama, name: str, precision: str, folder: Path) -> Engine:
    place = folder / f"{name}-{precision}"
    place.mkdir()
    registry.load("engine", name).write(model, place, precision)
    return open_engine(name, place, model.end)


def test_engines_serve_the_real_weights_alike(real_base: str, tmp_path: Path) -> None:
    model = gguf_files.read(assemble.base_file(real_base)[0])
    turns = [f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n" for text in ASKED]
    prompts = [model.tokenizer.encode(turn).ids for turn in turns]
    greedy = Decoding(max_tokens=20)
    torch = opened(model, "torch", "float32", tmp_path)
    expected = [one.ids for (one,) in torch.generate(prompts, greedy)]
    pairs = [Pair(prompt, ids) for prompt, ids in zip(prompts, expected, strict=True)]
    nats = [one.nats for one in torch.score(pairs)]
    for name, precision in (("ctranslate2", "float32"), ("llamacpp", "F32")):
        engine = opened(model, name, precision, tmp_path)
        assert [one.ids for (one,) in engine.generate(prompts, greedy)] == expected
        assert [one.nats for one in engine.score(pairs)] == pytest.approx(nats, abs=0.01)
        engine.close()
    small = opened(model, "llamacpp", "Q8_0", tmp_path)
    assert [one.nats for one in small.score(pairs)] == pytest.approx(nats, rel=0.1)
    small.close()


def test_the_tokenizer_of_the_base_is_the_one_that_training_uses(real_base: str) -> None:
    from hearten.backbones.loading import causal_lm

    network, words = causal_lm(real_base)
    model = gguf_files.read(assemble.base_file(real_base)[0])
    for text in [*ASKED, "Oh no !  12345 <|im_end|>\n\tcafé 🙂", "<|im_start|>user\nHi"]:
        assert model.tokenizer.encode(text, add_special_tokens=False).ids == words.encode(
            text, add_special_tokens=False
        )
    tensor = network.state_dict()["model.layers.7.self_attn.k_proj.weight"]
    assert np.array_equal(model.tensors["model.layers.7.self_attn.k_proj.weight"], tensor.numpy())
