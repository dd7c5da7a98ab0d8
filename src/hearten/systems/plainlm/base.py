"""A causal language model as a system: where it comes from, how it is stored, how it answers and scores replies."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import PreTrainedModel

from hearten.chatml import Layout, Sequenced
from hearten.config import Json
from hearten.data.batches import in_order
from hearten.dialogue import Example, Reply
from hearten.nn.decoding import Hypothesis, generate
from hearten.nn.decoding.causal import CausalStepper
from hearten.nn.reply_head import IGNORED, ReplyLoss
from hearten.nn.weights import arrays, fill
from hearten.system import Array, Context, LogLikelihood, System
from hearten.systems.plainlm import origins
from hearten.systems.plainlm.scratch import learn_tokenizer, new_model
from hearten.systems.plainlm.settings import LanguageSettings

BUDGET = 4096
"""Padded tokens in one batch where nothing is learned."""
TOGETHER = 16
"""Contexts that are answered together."""


class LanguageModel(System):
    """A language model that continues the conversation as the listener; how it learns, its heirs say."""

    Config: ClassVar[type[LanguageSettings]] = LanguageSettings

    def __init__(self, settings: LanguageSettings, causal_lm: PreTrainedModel, tokenizer: Tokenizer) -> None:
        self.network = ReplyLoss(causal_lm)
        self.network.eval()
        self._settings, self._tokenizer = settings, tokenizer
        self._layout = Layout(tokenizer, settings.limits)
        self.decoding, self.seed = settings.decoding, 0

    @classmethod
    def prepare(cls, config: LanguageSettings, examples: Sequence[Example], seed: int) -> Self:
        """Load the backbone or an earlier model, or learn a vocabulary and make a model of our own."""
        if config.scratch is None or config.start:
            return cls(config, *origins.taken_over(config.backbone, config.start))
        texts = (turn.text for example in examples for turn in (*example.context, example.reply))
        tokenizer = learn_tokenizer(texts, config.scratch.vocabulary)
        return cls(config, new_model(config.scratch, tokenizer.get_vocab_size(), seed), tokenizer)

    def assets(self) -> dict[str, Json]:
        """Return the tokenizer and the shape of the model."""
        return origins.assets(self._model, self._tokenizer)

    def tensors(self) -> dict[str, Array]:
        """Return the weights of the language model."""
        return arrays(self._model)

    @classmethod
    def restore(cls, config: LanguageSettings, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Rebuild the model from its folder alone; the backbone is not needed any more."""
        model, tokenizer = origins.rebuilt(assets)
        fill(model, tensors)
        return cls(config, model, tokenizer)

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return up to `n` different replies, the likeliest per token first."""
        return self._best(self._layout.prompt(context), n)

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        """Return one reply to each context."""
        prompts = [self._layout.prompt(context) for context in contexts]
        replies: dict[int, Reply] = {}
        by_length = sorted(range(len(contexts)), key=lambda number: len(prompts[number]))
        for start in range(0, len(by_length), TOGETHER):
            numbers = by_length[start : start + TOGETHER]
            found = self._generate([prompts[number] for number in numbers], 1)
            replies |= {number: self._reply(best) for number, (best, *_) in zip(numbers, found, strict=True)}
        return [replies[number] for number in range(len(contexts))]

    def log_likelihood(self, examples: Sequence[Example]) -> list[LogLikelihood]:
        """Return the log likelihood of each whole reply and its end token; those of one dialogue are read together."""
        encoded = [self._layout.chain(chain, is_cut=False) for chain in self._layout.chains(examples)]
        found: dict[int, list[LogLikelihood]] = {}
        for numbers in in_order([len(one) for one in encoded], BUDGET):
            chosen = padded([encoded[number] for number in numbers], self._layout.end)
            tensors = {name: tensor.to(self._model.device) for name, tensor in chosen.items()}
            for number, nats in zip(numbers, self.network.target_nats(tensors), strict=True):
                replies = torch.split(nats, encoded[number].reply_lengths)
                found[number] = [LogLikelihood(-reply.sum().item(), len(reply)) for reply in replies]
        return [one for number in range(len(encoded)) for one in found[number]]

    @property
    def _model(self) -> Any:
        return self.network.causal_lm

    def _best(self, prompt: Sequence[int], n: int) -> list[Reply]:
        replies = map(self._reply, self._generate([prompt], n)[0])
        best: dict[str, Reply] = {}
        for reply in sorted(replies, key=lambda reply: -reply.score):
            best.setdefault(reply.text, reply)
        return list(best.values())

    def _generate(self, prompts: Sequence[Sequence[int]], n: int) -> list[list[Hypothesis]]:
        steps, layout = CausalStepper(self._model), self._layout
        return generate(steps, prompts, self.decoding, layout.end, n, self.seed, banned=[layout.start])

    def _reply(self, hypothesis: Hypothesis) -> Reply:
        return Reply(self._layout.text(hypothesis.ids), score=hypothesis.nats_per_token)


def padded(encoded: Sequence[Sequenced], end: int) -> dict[str, Tensor]:
    """Pad ids and targets on the right; what stands at a place is predicted from the place before. (rows, width)"""
    ids = torch.full((len(encoded), max(map(len, encoded))), end)
    for row, one in enumerate(encoded):
        ids[row, : len(one)] = torch.tensor(one.ids[:-1])
    return {"ids": ids, "targets": targets(encoded, [one.is_target for one in encoded])}


def targets(encoded: Sequence[Sequenced], chosen: Sequence[Sequence[bool]]) -> Tensor:
    """Return the ids that are chosen, each at the place before its own, and nothing elsewhere. (rows, width)"""
    found = torch.full((len(encoded), max(map(len, encoded))), IGNORED)
    for row, (one, is_chosen) in enumerate(zip(encoded, chosen, strict=True)):
        found[row, : len(one)] = torch.tensor(one.ids[1:]).masked_fill(~torch.tensor(is_chosen[1:]), IGNORED)
    return found
