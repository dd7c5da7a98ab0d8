"""Llama models in GGUF files: base weights are read from one, and the llama.cpp engine serves one.

The two differ in their vocabulary. That of the base is text. Ours spells ids: the text of token 17 is `17,`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from hearten.engines.llama import EMBEDDING, NORM, Llama, Shape, layer_tensor, llama
from hearten.errors import MissingExtra, UserError
from hearten.system import Array

PARTS = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""Names of a layer's tensors: in transformers, and in a GGUF file."""


def read(path: Path) -> Llama:
    """Read and dequantise a Llama; gives the very weights that transformers makes of the file."""
    gguf = _package()
    try:
        reader = gguf.GGUFReader(path)
        shape = _shape(reader)
        stored = {tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    except (ValueError, IndexError, KeyError, OSError, OverflowError, MemoryError) as error:
        raise UserError(f"{path} is not a readable GGUF file of a Llama ({error}); fetch it again") from None
    renamed = {ours: stored.pop(theirs) for ours, theirs in _names(shape) if theirs in stored}
    heads = {"self_attn.q_proj": shape.heads, "self_attn.k_proj": shape.kv_heads}
    for part, count in heads.items():
        for name in (layer_tensor(layer, part) for layer in range(shape.layers)):
            renamed[name] = halved(renamed[name], count)
    return llama(shape, {**renamed, **stored}, _tokenizer(reader))


def _shape(reader: Any) -> Shape:
    if _field(reader, "general.architecture") != "llama":
        raise ValueError(f"the architecture is {_field(reader, 'general.architecture')}")
    heads = int(_field(reader, "llama.attention.head_count"))
    return Shape(
        layers=int(_field(reader, "llama.block_count")),
        hidden=int(_field(reader, "llama.embedding_length")),
        heads=heads,
        kv_heads=int(_field(reader, "llama.attention.head_count_kv")),
        feed_forward=int(_field(reader, "llama.feed_forward_length")),
        vocabulary=int(_field(reader, "llama.vocab_size")),
        context=int(_field(reader, "llama.context_length")),
        rope_base=float(_field(reader, "llama.rope.freq_base")),
        epsilon=float(_field(reader, "llama.attention.layer_norm_rms_epsilon")),
    )


def _field(reader: Any, name: str) -> Any:
    return reader.fields[name].contents()


def _names(shape: Shape) -> Iterator[tuple[str, str]]:
    """Give the names of all tensors: in transformers, and in a GGUF file."""
    yield EMBEDDING, "token_embd.weight"
    yield NORM, "output_norm.weight"
    for layer in range(shape.layers):
        for ours, theirs in PARTS.items():
            yield layer_tensor(layer, ours), f"blk.{layer}.{theirs}.weight"


def _tokenizer(reader: Any) -> Tokenizer:
    """Build the byte-level tokenizer of the file, the same that transformers builds."""
    words: list[str] = _field(reader, "tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ", 1)) for merge in _field(reader, "tokenizer.ggml.merges")]
    kinds = _field(reader, "tokenizer.ggml.token_type")
    tokenizer = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    control = int(_package().TokenType.CONTROL)
    special = [word for word, kind in zip(words, kinds, strict=True) if kind == control]
    tokenizer.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in special])
    return tokenizer


def write(model: Llama, path: Path, precision: str) -> None:
    """Write a file for our llama.cpp engine, whose vocabulary spells ids."""
    gguf = _package()
    shape = model.shape
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(shape.layers)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.hidden)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_rope_dimension_count(shape.head)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    _add_vocabulary(writer, gguf, model)
    kind = gguf.GGMLQuantizationType[precision]
    for name, array in _renamed(model):
        stored = kind if array.ndim > 1 else gguf.GGMLQuantizationType.F32
        writer.add_tensor(name, gguf.quants.quantize(array, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any, gguf: Any, model: Llama) -> None:
    numbers = range(model.shape.vocabulary)
    kinds = gguf.TokenType
    writer.add_vocab_size(model.shape.vocabulary)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([f"{number}," for number in numbers])
    writer.add_token_types([kinds.CONTROL if number == model.end else kinds.NORMAL for number in numbers])
    writer.add_token_merges(["0 ,"])  # the format wants one; nothing is ever tokenised
    writer.add_eos_token_id(model.end)
    writer.add_add_bos_token(False)


def _renamed(model: Llama) -> Iterator[tuple[str, Array]]:
    heads = {"attn_q": model.shape.heads, "attn_k": model.shape.kv_heads}
    for ours, theirs in _names(model.shape):
        array = np.ascontiguousarray(model.tensors[ours], dtype=np.float32)
        count = next((count for part, count in heads.items() if f".{part}." in theirs), None)
        yield theirs, interleaved(array, count) if count else array


def interleaved(array: Array, heads: int) -> Array:
    """Order the rows of each head as llama.cpp rotates them: pairs side by side, not half a head apart."""
    apart = array.reshape(heads, 2, array.shape[0] // heads // 2, -1)
    return np.ascontiguousarray(apart.swapaxes(1, 2).reshape(array.shape))


def halved(array: Array, heads: int) -> Array:
    """Undo `interleaved`."""
    beside = array.reshape(heads, array.shape[0] // heads // 2, 2, -1)
    return np.ascontiguousarray(beside.swapaxes(1, 2).reshape(array.shape))


def _package() -> Any:
    try:
        import gguf
    except ImportError as error:
        raise MissingExtra("reading and writing GGUF files", extra="engines") from error
    return gguf
