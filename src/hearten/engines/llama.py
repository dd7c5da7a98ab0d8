"""A Llama with tied embeddings as plain arrays: what every engine file is written from.

Tensors carry the names that transformers gives them; there is no `lm_head`, since the embedding is also the output.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer

from hearten.errors import UserError
from hearten.system import Array

EMBEDDING = "model.embed_tokens.weight"
NORM = "model.norm.weight"
END = "<|im_end|>"


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers that say how a Llama is built."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    feed_forward: int
    vocabulary: int
    context: int
    rope_base: float
    epsilon: float

    @property
    def head(self) -> int:
        """Width of one attention head."""
        return self.hidden // self.heads


@dataclass(frozen=True)
class Llama:
    """Weights, shape and tokenizer of a model, and the token that ends a turn."""

    shape: Shape
    tensors: Mapping[str, Array]
    tokenizer: Tokenizer
    end: int


def llama(shape: Shape, tensors: Mapping[str, Array], tokenizer: Tokenizer) -> Llama:
    """Put a model together, refusing weights that do not fit the shape."""
    end = tokenizer.token_to_id(END)
    if end is None:
        raise UserError(f"the tokenizer has no token {END}, which ends a turn; use the tokenizer of a chat model")
    expected = tensor_shapes(shape)
    wrong = [name for name, size in expected.items() if name not in tensors or tensors[name].shape != size]
    wrong += sorted(tensors.keys() - expected.keys())
    if wrong:
        raise UserError(f"these weights are not a Llama of this shape with tied embeddings: {', '.join(wrong[:3])}")
    return Llama(shape, tensors, tokenizer, end)


def tensor_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the size of every tensor of a Llama by its name."""
    keys, hidden, wide = shape.kv_heads * shape.head, shape.hidden, shape.feed_forward
    block: dict[str, tuple[int, ...]] = {
        "input_layernorm": (hidden,),
        "self_attn.q_proj": (hidden, hidden),
        "self_attn.k_proj": (keys, hidden),
        "self_attn.v_proj": (keys, hidden),
        "self_attn.o_proj": (hidden, hidden),
        "post_attention_layernorm": (hidden,),
        "mlp.gate_proj": (wide, hidden),
        "mlp.up_proj": (wide, hidden),
        "mlp.down_proj": (hidden, wide),
    }
    layers = {layer_tensor(n, part): size for n in range(shape.layers) for part, size in block.items()}
    return {EMBEDDING: (shape.vocabulary, hidden), **layers, NORM: (hidden,)}


def layer_tensor(layer: int, part: str) -> str:
    """Name a tensor of a layer: `layer_tensor(3, "mlp.up_proj")`."""
    return f"model.layers.{layer}.{part}.weight"


def shape_of(architecture: Mapping[str, Any]) -> Shape:
    """Read the shape from the configuration that transformers stores with a model."""
    rope = architecture.get("rope_parameters") or {}
    head = architecture.get("head_dim") or architecture["hidden_size"] // architecture["num_attention_heads"]
    is_plain = (
        architecture.get("model_type") == "llama"
        and architecture.get("tie_word_embeddings") is True
        and rope.get("rope_type", "default") == "default"
        and head * architecture["num_attention_heads"] == architecture["hidden_size"]
        and not architecture.get("attention_bias")
        and not architecture.get("mlp_bias")
    )
    if not is_plain:
        raise UserError(
            "engines serve Llama models with tied embeddings, plain rotary positions and no biases; this is another"
        )
    return Shape(
        layers=architecture["num_hidden_layers"],
        hidden=architecture["hidden_size"],
        heads=architecture["num_attention_heads"],
        kv_heads=architecture["num_key_value_heads"],
        feed_forward=architecture["intermediate_size"],
        vocabulary=architecture["vocab_size"],
        context=architecture["max_position_embeddings"],
        rope_base=float(rope.get("rope_theta", 10_000.0)),
        epsilon=float(architecture["rms_norm_eps"]),
    )


def tokens(model: Llama) -> list[str]:
    """List the vocabulary in the order of ids; rows of the embedding without a token get a name of their own."""
    named = {number: token for token, number in model.tokenizer.get_vocab(with_added_tokens=True).items()}
    return [named.get(number, f"<unused {number}>") for number in range(model.shape.vocabulary)]
