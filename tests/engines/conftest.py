"""A small random Llama with a tokenizer of its own, and engines that serve it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from hearten import registry
from hearten.engines import gguf_files
from hearten.engines.engine import Engine, open_engine
from hearten.engines.llama import EMBEDDING, END, Llama, Shape, llama, tensor_shapes, tokens

TEXT = "I lost my dog in the park and I am sad. Thank you, I hope that I find my dog in the park again."

BACKBONE = "smollm2-135m-instruct"

Opener = Callable[[str, str], Engine]


def tiny_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|endoftext|>", "<|im_start|>", END]
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=special, initial_alphabet=alphabet, show_progress=False, min_frequency=1
    )
    tokenizer.train_from_iterator([TEXT] * 3, trainer)
    tokenizer.encode_special_tokens = True
    return tokenizer


def tiny_llama(seed: int = 0) -> Llama:
    tokenizer = tiny_tokenizer()
    shape = Shape(
        layers=2,
        hidden=64,
        heads=4,
        kv_heads=2,
        feed_forward=96,
        vocabulary=tokenizer.get_vocab_size(),
        context=512,
        rope_base=5_000.0,
        epsilon=1e-5,
    )
    dice = np.random.default_rng(seed)
    tensors = {
        name: dice.normal(1.0 if len(size) == 1 else 0.0, 0.2, size).astype(np.float32)
        for name, size in tensor_shapes(shape).items()
    }
    tensors[EMBEDDING][tokenizer.token_to_id(END)] *= 2  # likely now and then, as in a model that learned to end
    return llama(shape, tensors, tokenizer)


@pytest.fixture(scope="session")
def tiny() -> Llama:
    return tiny_llama()


@pytest.fixture(scope="module")
def engine(tiny: Llama, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    """Write and open an engine once for all tests of a module."""
    opened: dict[tuple[str, str], Engine] = {}

    def opener(name: str, precision: str) -> Engine:
        if (name, precision) not in opened:
            folder: Path = tmp_path_factory.mktemp(name)
            registry.load("engine", name).write(tiny, folder, precision)
            opened[name, precision] = open_engine(name, folder, tiny.end)
        return opened[name, precision]

    yield opener
    for one in opened.values():
        one.close()


@pytest.fixture
def base(tiny: Llama, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the small model stand where a person keeps the base weights, and return its file."""
    path = tmp_path / "models" / BACKBONE / "base.gguf"
    path.parent.mkdir(parents=True)
    with monkeypatch.context() as published:
        published.setattr(gguf_files, "_add_vocabulary", add_words)
        gguf_files.write(tiny, path, "F32")
    monkeypatch.setenv("HEARTEN_MODELS", str(path.parent.parent))
    return path


def add_words(writer: Any, gguf: Any, model: Llama) -> None:
    """Give a GGUF file the words of the tokenizer, as published ones have them."""
    described = json.loads(model.tokenizer.to_str())
    special = {token["id"] for token in described["added_tokens"]}
    kinds = gguf.TokenType
    writer.add_vocab_size(model.shape.vocabulary)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens(model))
    writer.add_token_types([kinds.CONTROL if n in special else kinds.NORMAL for n in range(model.shape.vocabulary)])
    writer.add_token_merges([" ".join(merge) for merge in described["model"]["merges"]])
