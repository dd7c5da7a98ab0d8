"""Base weights out of GGUF files."""

from pathlib import Path

import numpy as np
import pytest

from hearten.engines import gguf_files
from hearten.engines.llama import Llama
from hearten.errors import UserError

pytest.importorskip("gguf")


def test_a_base_reads_back_as_it_was_written(base: Path, tiny: Llama) -> None:
    found = gguf_files.read(base)
    assert (found.shape.layers, found.shape.kv_heads, found.end) == (2, 2, tiny.end)
    assert found.shape.epsilon == pytest.approx(tiny.shape.epsilon)
    assert found.tensors.keys() == tiny.tensors.keys()
    assert all(np.array_equal(found.tensors[name], array) for name, array in tiny.tensors.items())


@pytest.mark.parametrize("text", ["I am sad.", "  two  spaces\n\tcafé 🙂 123", "<|im_end|> in words", ""])
def test_the_tokenizer_of_a_base_gives_the_same_ids(text: str, base: Path, tiny: Llama) -> None:
    tokenizer = gguf_files.read(base).tokenizer
    for are_characters in (True, False):
        tokenizer.encode_special_tokens = tiny.tokenizer.encode_special_tokens = are_characters
        assert tokenizer.encode(text).ids == tiny.tokenizer.encode(text).ids
    tiny.tokenizer.encode_special_tokens = True
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


def test_quantised_weights_are_close(base: Path, tiny: Llama, monkeypatch: pytest.MonkeyPatch) -> None:
    words = gguf_files.read(base).tokenizer
    gguf_files.write(tiny, base, "Q8_0")
    monkeypatch.setattr(gguf_files, "_tokenizer", lambda reader: words)
    found = gguf_files.read(base).tensors
    assert all(np.abs(found[name] - array).max() < 0.01 for name, array in tiny.tensors.items())


def test_a_cut_file_is_refused(base: Path) -> None:
    base.write_bytes(base.read_bytes()[:-5000])
    with pytest.raises(UserError, match="not a readable GGUF file"):
        gguf_files.read(base)


def test_another_architecture_is_refused(base: Path) -> None:
    base.write_bytes(base.read_bytes().replace(b"llama", b"lambs"))
    with pytest.raises(UserError, match="the architecture is lambs"):
        gguf_files.read(base)
