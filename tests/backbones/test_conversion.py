"""GGUF to torch: a tiny Llama written as GGUF comes back as it was."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
gguf = pytest.importorskip("gguf")

from hearten.backbones import conversion, fetch, loading  # noqa: E402
from hearten.errors import UserError  # noqa: E402

HEADS, KEY_HEADS, LAYERS = 4, 2, 2
LETTERS = [chr(code) for code in range(33, 127)] + ["Ġ", "Ċ"]
TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *LETTERS, "he", "ll", "hell", "hello"]
MERGES = ["h e", "l l", "he ll", "hell o"]
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


@pytest.fixture(scope="module")
def original() -> Any:
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(TOKENS),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=64,
        tie_word_embeddings=True,
        rope_parameters={"rope_theta": 50000.0, "rope_type": "default"},
    )
    return transformers.LlamaForCausalLM(config).eval()


def interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    """Reorder rotary rows from halves to pairs, the order that GGUF files of this architecture use."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def tensors(model: Any) -> dict[str, np.ndarray]:
    state = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}
    named = {"token_embd.weight": state["model.embed_tokens.weight"], "output_norm.weight": state["model.norm.weight"]}
    for layer in range(LAYERS):
        for ours, theirs in NAMES.items():
            weight = state[f"model.layers.{layer}.{ours}.weight"]
            if theirs in ("attn_q", "attn_k"):
                weight = interleaved(weight, HEADS if theirs == "attn_q" else KEY_HEADS)
            named[f"blk.{layer}.{theirs}.weight"] = weight
    return named


def write(path: Path, model: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(LAYERS)
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(64)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    writer.add_rope_freq_base(50000.0)
    writer.add_rope_dimension_count(8)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(TOKENS)
    writer.add_token_types([gguf.TokenType.CONTROL] * 3 + [gguf.TokenType.NORMAL] * (len(TOKENS) - 3))
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template("{% for m in messages %}<|im_start|>{{ m['content'] }}<|im_end|>{% endfor %}")
    for name, tensor in tensors(model).items():
        writer.add_tensor(name, np.ascontiguousarray(tensor))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def toy(own_models: Path, original: Any, describe: Any) -> Any:
    weights = write(own_models / "toy" / "toy.gguf", original)
    return describe({"toy.gguf": weights.read_bytes()}, kind="causal lm")


def test_the_model_is_the_one_that_was_written(toy: Any, original: Any) -> None:
    model, _ = loading.causal_lm(toy)
    ids = torch.arange(5, 25).unsqueeze(0)
    torch.testing.assert_close(model(ids).logits, original(ids).logits, atol=1e-5, rtol=1e-4)
    assert model.lm_head.weight is model.model.embed_tokens.weight
    assert model.dtype == torch.float32


def test_the_tokenizer_merges_and_reads_back_and_keeps_the_chat_template(toy: Any) -> None:
    _, words = loading.causal_lm(toy)
    assert words("hello").tokens() == ["hello"]
    text = "hello there,\n1 2"
    assert words.decode(words(text)["input_ids"]) == text
    assert words.apply_chat_template([{"content": "hello"}], tokenize=False) == "<|im_start|>hello<|im_end|>"
    assert (fetch.location(toy) / "torch" / "tokenizer.json").is_file()


def test_the_second_load_converts_nothing(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = loading.causal_lm(toy)
    monkeypatch.setattr(conversion, "dequantised", lambda weights: pytest.fail("converted again"))
    second, _ = loading.causal_lm(toy)
    assert torch.equal(first.model.norm.weight, second.model.norm.weight)


def test_another_recipe_converts_afresh(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    loading.causal_lm(toy)
    calls: list[Path] = []
    convert = conversion.dequantised
    monkeypatch.setattr(conversion, "RECIPE", 2)
    monkeypatch.setattr(conversion, "dequantised", lambda weights: calls.append(weights) or convert(weights))
    loading.causal_lm(toy)
    assert len(calls) == 1


def test_an_interrupted_conversion_leaves_nothing(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(weights: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(conversion, "_tokenizer", interrupt)
    with pytest.raises(KeyboardInterrupt):
        loading.causal_lm(toy)
    assert {path.name for path in fetch.location(toy).iterdir()} == {"toy.gguf", "manifest.json"}


@pytest.mark.parametrize("kept", [0.9, 0.2, 0.001])
def test_a_truncated_file_is_an_error_that_says_what_to_do(own_models: Path, toy: Any, kept: float) -> None:
    weights = own_models / "toy" / "toy.gguf"
    content = weights.read_bytes()
    weights.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(UserError, match=r"toy.gguf is not a readable GGUF file .* pull --force toy"):
        loading.causal_lm(toy)


def test_a_file_of_another_kind_is_refused(own_models: Path, describe: Any) -> None:
    (own_models / "toy").mkdir()
    (own_models / "toy" / "toy.gguf").write_bytes(b"not a model at all" * 100)
    with pytest.raises(UserError, match=r"is not a readable GGUF file"):
        loading.causal_lm(describe({"toy.gguf": b""}, kind="causal lm"))
