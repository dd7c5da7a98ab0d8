"""Loading through the presets' names, with tiny random models of the same architectures in the user's own folder."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

from hearten.backbones import fetch, loading  # noqa: E402
from hearten.errors import UserError  # noqa: E402

WORDS = ["<unk>", "<pad>", "i", "am", "sad", "today", "so", "glad"]
SIZES: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32, "bos_token_id": 0, "eos_token_id": 0},
    "openai-gpt": {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32},
    "bert": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32},
    "roberta": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32},
}
CAUSAL = [("gpt2", "gpt2"), ("openai-gpt", "openai-gpt")]
ENCODERS = [("bert-base-uncased", "bert"), ("roberta-base", "roberta")]


def tokenizer() -> Any:
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>", pad_token="<pad>")


def save(folder: Path, architecture: str, family: Any) -> Any:
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(architecture, vocab_size=len(WORDS), **SIZES[architecture])
    model = family.from_config(config).eval()
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return model


@pytest.mark.parametrize(("name", "architecture"), CAUSAL)
def test_a_causal_lm_loads_and_predicts_as_it_was_saved(name: str, architecture: str, own_models: Path) -> None:
    saved = save(own_models / name, architecture, transformers.AutoModelForCausalLM)
    model, words = loading.causal_lm(name)
    batch = words("i am sad today", return_tensors="pt")["input_ids"]
    assert torch.equal(model(batch).logits, saved(batch).logits)
    assert not model.training
    assert model.get_input_embeddings().weight is model.get_output_embeddings().weight


@pytest.mark.parametrize(("name", "architecture"), ENCODERS)
def test_an_encoder_loads_without_a_random_pooling_layer(name: str, architecture: str, own_models: Path) -> None:
    saved = save(own_models / name, architecture, transformers.AutoModel)
    model, words = loading.encoder(name)
    batch = words("so glad", return_tensors="pt")["input_ids"]
    assert torch.equal(model(batch).last_hidden_state, saved(batch).last_hidden_state)
    assert model.pooler is None


def test_weights_stored_in_half_precision_load_in_fp32(own_models: Path) -> None:
    folder = own_models / "gpt2"
    save(folder, "gpt2", transformers.AutoModelForCausalLM).half().save_pretrained(folder)
    assert loading.causal_lm("gpt2")[0].dtype == torch.float32


def test_the_tokenizer_is_a_fast_one_that_reads_its_own_ids(own_models: Path) -> None:
    save(own_models / "gpt2", "gpt2", transformers.AutoModelForCausalLM)
    _, words = loading.causal_lm("gpt2")
    assert isinstance(words, transformers.PreTrainedTokenizerFast)
    assert words.decode(words("i am glad")["input_ids"]) == "i am glad"


def test_the_wrong_kind_is_refused_before_anything_is_fetched() -> None:
    with pytest.raises(UserError, match="'roberta-base' is of kind 'encoder', where 'causal lm' is needed"):
        loading.causal_lm("roberta-base")
    assert not fetch.location("roberta-base").exists()


def test_truncated_weights_are_an_error_that_says_what_to_do(own_models: Path) -> None:
    save(own_models / "gpt2", "gpt2", transformers.AutoModelForCausalLM)
    weights = own_models / "gpt2" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(UserError, match=r"is not a whole safetensors file .* pull --force gpt2"):
        loading.causal_lm("gpt2")


def test_weights_that_do_not_fill_the_model_are_refused(own_models: Path) -> None:
    save(own_models / "gpt2", "gpt2", transformers.AutoModelForCausalLM)
    from safetensors.torch import load_file, save_file

    weights = own_models / "gpt2" / "model.safetensors"
    tensors = load_file(weights)
    del tensors["transformer.h.1.mlp.c_fc.weight"]
    save_file(tensors, weights, metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"lack parts of the model: transformer\.h\.1\.mlp\.c_fc\.weight"):
        loading.causal_lm("gpt2")


def test_pickled_weights_are_refused_before_loading(own_models: Path, tmp_path: Path) -> None:
    save(own_models / "gpt2", "gpt2", transformers.AutoModelForCausalLM)
    (own_models / "gpt2" / "model.safetensors").unlink()
    torch.save({}, own_models / "gpt2" / "pytorch_model.bin")
    with pytest.raises(UserError, match="pickled weights can run code"):
        loading.causal_lm("gpt2")


def test_code_that_a_config_asks_for_is_never_run(own_models: Path, tmp_path: Path) -> None:
    folder = own_models / "gpt2"
    save(folder, "gpt2", transformers.AutoModelForCausalLM)
    trap = tmp_path / "sprung"
    (folder / "evil.py").write_text(f"open({str(trap)!r}, 'w').close()\n")
    config = (folder / "config.json").read_text()
    auto = '{"auto_map": {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"},'
    (folder / "config.json").write_text(config.replace("{", auto, 1))
    model, _ = loading.causal_lm("gpt2")
    assert type(model).__name__ == "GPT2LMHeadModel"
    assert not trap.exists()


def test_a_quiet_load_leaves_the_librarys_own_settings_as_they_were(own_models: Path) -> None:
    logging = transformers.utils.logging
    save(own_models / "gpt2", "gpt2", transformers.AutoModelForCausalLM)
    before = (logging.get_verbosity(), logging.is_progress_bar_enabled())
    loading.causal_lm("gpt2")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


def test_fetching_needs_no_torch_and_loading_says_when_it_is_missing() -> None:
    program = """
import sys
sys.modules["torch"] = None
from hearten.backbones import state
state.rows()
from hearten.errors import MissingExtra
try:
    from hearten.backbones import loading
except MissingExtra as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("loading pretrained weights needs the 'train' extra")
