"""torch: every way of decoding, for tests and for those who have the train extra.

In fp32, or in bf16: twice as fast where the processor can (`avx512_bf16`, AMX), slower where not; its logits are
rounded to two or three digits.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from hearten.decoding import Decoding
from hearten.engines.engine import Generated, Ids, Pair, Runtime, require_streamable
from hearten.engines.llama import Llama, Shape
from hearten.errors import MissingExtra
from hearten.system import LogLikelihood

WEIGHTS = "model.safetensors"
SHAPE = "shape.json"
PRECISION = "precision"


def write(model: Llama, folder: Path, precision: str) -> None:
    """Write the weights, in fp32 in any case, and the shape of the model."""
    save_file(
        {name: np.ascontiguousarray(array, np.float32) for name, array in model.tensors.items()}, folder / WEIGHTS
    )
    (folder / SHAPE).write_text(json.dumps({**asdict(model.shape), PRECISION: precision}), encoding="utf-8")


class TorchEngine:
    """A Llama of transformers, stepped by our own decoding."""

    def __init__(self, folder: Path, end: int, threads: int, workers: int) -> None:
        try:
            import torch
        except ImportError as error:
            raise MissingExtra("the engine 'torch'") from error
        torch.set_num_threads(threads * workers)
        told = json.loads((folder / SHAPE).read_text(encoding="utf-8"))
        precision = told.pop(PRECISION, "float32")
        self._model: Any = _model(Shape(**told), folder / WEIGHTS).to(getattr(torch, precision))
        self._end = end

    def generate(self, prompts: Sequence[Ids], decoding: Decoding, n: int = 1, seed: int = 0) -> list[list[Generated]]:
        """Return `n` continuations of each prompt, best first."""
        from hearten.nn.decoding import generate
        from hearten.nn.decoding.causal import CausalStepper

        found = generate(CausalStepper(self._model), prompts, decoding, self._end, n, seed)
        return [[Generated(one.ids, one.nats) for one in hypotheses] for hypotheses in found]

    def stream(self, prompt: Ids, decoding: Decoding, seed: int = 0) -> Iterator[int]:
        """Give the ids of one continuation as they are made."""
        from hearten.nn.decoding import stream
        from hearten.nn.decoding.causal import CausalStepper

        require_streamable(decoding)
        return stream(CausalStepper(self._model), prompt, decoding, self._end, seed)

    def score(self, pairs: Sequence[Pair]) -> list[LogLikelihood]:
        """Return the log likelihood of each reply and its end token; a prompt that several share is read once."""
        from hearten.nn.shared_prompt import judged

        sharing: dict[tuple[int, ...], list[int]] = {}
        for number, pair in enumerate(pairs):
            sharing.setdefault(tuple(pair.prompt), []).append(number)
        nats: dict[int, float] = {}
        for prompt, numbers in sharing.items():
            replies = [pairs[number].reply for number in numbers]
            found = judged(self._model, prompt, replies, self._end)
            nats |= zip(numbers, (one.nats for one in found), strict=True)
        return [LogLikelihood(nats[number], len(pair.reply) + 1) for number, pair in enumerate(pairs)]

    def close(self) -> None:
        """Forget the model."""
        self._model = None


def _model(shape: Shape, weights: Path) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    from hearten.nn.weights import fill

    settings = LlamaConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.feed_forward,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        max_position_embeddings=shape.context,
        rms_norm_eps=shape.epsilon,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rope_base},
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
    )
    model = LlamaForCausalLM(settings)
    fill(model, load_file(weights))
    return model.eval()


PLUGIN = Runtime(("float32", "bfloat16"), frozenset(Decoding.model_fields), write, TorchEngine)
