"""CTranslate2: int8 with float activations, greedy and beams, whole replies scored in one pass.

It cannot sample under a seed: each of its worker threads has dice of its own, thrown on from call to call, which
`set_random_seed` does not put back. Nor does it keep what it computed of a conversation: `static_prompt` remembers the
state of a prefix for ever, which suits a fixed opening, and ours has none.
"""

import importlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hearten.decoding import Decoding
from hearten.engines.engine import Generated, Ids, Pair, Runtime, require_options, require_streamable
from hearten.engines.llama import EMBEDDING, END, NORM, Llama, layer_tensor, tokens
from hearten.errors import MissingExtra, UserError
from hearten.system import LogLikelihood

NAME = "ctranslate2"
SCHEMES = {"int8": "int8_float32", "float32": "float32"}
OPTIONS = ("max_tokens", "min_tokens", "beams", "length_penalty", "no_repeat_ngram", "repetition_penalty")
TOGETHER = 16
"""Sequences that one worker answers or scores together."""


def write(model: Llama, folder: Path, precision: str) -> None:
    """Write a model folder of CTranslate2."""
    specs = _package(".specs")
    shape = model.shape
    spec = specs.TransformerDecoderModelSpec.from_config(
        shape.layers,
        shape.heads,
        activation=specs.Activation.SWISH,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,  # all of a head
        rotary_interleave=False,
        rotary_base=shape.rope_base,
        num_heads_kv=shape.kv_heads,
    )
    _fill(spec.decoder, model)
    spec.register_vocabulary(tokens(model))
    spec.config.layer_norm_epsilon = shape.epsilon
    # the format wants all three; only the end is ever looked at, since prompts come as tokens it knows
    spec.config.bos_token = spec.config.eos_token = spec.config.unk_token = END
    spec.validate()
    spec.optimize(SCHEMES[precision])
    spec.save(str(folder))


def _fill(decoder: Any, model: Llama) -> None:
    decoder.scale_embeddings = False
    decoder.embeddings.weight = decoder.projection.weight = _array(model, EMBEDDING)
    decoder.layer_norm.gamma = _array(model, NORM)
    for number, layer in enumerate(decoder.layer):
        name = [layer_tensor(number, f"self_attn.{part}_proj") for part in "qkvo"]
        layer.self_attention.layer_norm.gamma = _array(model, layer_tensor(number, "input_layernorm"))
        layer.self_attention.linear[0].weight = np.concatenate([_array(model, part) for part in name[:3]])
        layer.self_attention.linear[1].weight = _array(model, name[3])
        layer.ffn.layer_norm.gamma = _array(model, layer_tensor(number, "post_attention_layernorm"))
        layer.ffn.linear_0.weight = _array(model, layer_tensor(number, "mlp.gate_proj"))
        layer.ffn.linear_0_noact.weight = _array(model, layer_tensor(number, "mlp.up_proj"))
        layer.ffn.linear_1.weight = _array(model, layer_tensor(number, "mlp.down_proj"))


def _array(model: Llama, name: str) -> Any:
    return np.array(model.tensors[name], dtype=np.float32)  # a copy: quantising writes into it


class CTranslate2Engine:
    """A loaded CTranslate2 generator."""

    def __init__(self, folder: Path, end: int, threads: int, workers: int) -> None:
        try:
            self._generator = _package().Generator(str(folder), inter_threads=workers, intra_threads=threads)
        except RuntimeError as error:
            raise UserError(f"{folder} does not hold a CTranslate2 model ({error}); assemble it again") from None
        self._tokens: list[str] = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        self._end, self._workers = end, workers

    def generate(self, prompts: Sequence[Ids], decoding: Decoding, n: int = 1, seed: int = 0) -> list[list[Generated]]:
        """Return the best continuations of each prompt; nothing is drawn, so the seed changes nothing."""
        require_options(NAME, decoding, n)
        options = self._options(decoding) | {"beam_size": max(decoding.beams, n), "num_hypotheses": n}
        options |= {"length_penalty": decoding.length_penalty, "return_scores": True, "asynchronous": True}
        found: dict[int, list[Generated]] = {}
        waiting: list[tuple[int, Any]] = []
        for numbers in self._batches([len(prompt) for prompt in prompts]):
            batch = [self._words(prompts[number]) for number in numbers]
            waiting += zip(numbers, self._generator.generate_batch(batch, **options), strict=True)
        for number, promised in waiting:
            result = promised.result()
            found[number] = [
                Generated(tuple(ids), self._nats(score, ids, decoding))
                for ids, score in zip(result.sequences_ids, result.scores, strict=True)
            ]
        return [found[number] for number in range(len(prompts))]

    def stream(self, prompt: Ids, decoding: Decoding, seed: int = 0) -> Iterator[int]:
        """Give the ids of the greedy continuation as they are made."""
        require_options(NAME, decoding)
        require_streamable(decoding)
        steps = self._generator.generate_tokens(self._words(prompt), **self._options(decoding, streams=True))
        return (step.token_id for step in steps if step.token_id != self._end)

    def score(self, pairs: Sequence[Pair]) -> list[LogLikelihood]:
        """Return the log likelihood of each reply and its end, all tokens of a pair in one pass."""
        whole = [[*self._words(pair.prompt), *self._words(pair.reply), self._tokens[self._end]] for pair in pairs]
        results = self._generator.score_batch(whole, max_batch_size=TOGETHER, max_input_length=0)
        counts = [len(pair.reply) + 1 for pair in pairs]
        return [
            LogLikelihood(float(np.sum(result.log_probs[-count:])), count)
            for result, count in zip(results, counts, strict=True)
        ]

    def close(self) -> None:
        """Unload the model."""
        self._generator.unload_model()

    def _options(self, decoding: Decoding, streams: bool = False) -> dict[str, Any]:
        options: dict[str, Any] = {
            "max_length": decoding.max_tokens,
            "min_length": decoding.min_tokens,
            "no_repeat_ngram_size": decoding.no_repeat_ngram,
            "repetition_penalty": decoding.repetition_penalty,
            "end_token": [self._end],
        }
        return options if streams else options | {"include_prompt_in_result": False}

    def _words(self, ids: Ids) -> list[str]:
        return [self._tokens[number] for number in ids]

    def _batches(self, lengths: Sequence[int]) -> list[list[int]]:
        """Group prompts of the same length, no more together than leaves work for every worker.

        Of prompts that differ, the longer ones' last tokens would count as their replies' first ones.
        """
        limit = min(TOGETHER, -(-len(lengths) // self._workers))
        batches: list[list[int]] = []
        for number in sorted(range(len(lengths)), key=lambda number: lengths[number]):
            if batches and len(batches[-1]) < limit and lengths[batches[-1][0]] == lengths[number]:
                batches[-1].append(number)
            else:
                batches.append([number])
        return batches

    def _nats(self, score: float, ids: Ids, decoding: Decoding) -> float | None:
        """Undo the length penalty; scores after a repetition penalty are no log probabilities."""
        if decoding.repetition_penalty != 1:
            return None
        length = len(ids) + (len(ids) < decoding.max_tokens)  # a reply below the limit has its end token counted in
        return float(score * length**decoding.length_penalty)


def _package(part: str = "") -> Any:
    try:
        return importlib.import_module(f"ctranslate2{part}")
    except ImportError as error:
        raise MissingExtra(f"the engine '{NAME}'", extra="engines") from error


PLUGIN = Runtime(tuple(SCHEMES), frozenset(OPTIONS), write, CTranslate2Engine)
