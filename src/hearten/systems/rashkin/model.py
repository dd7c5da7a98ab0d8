"""rashkin: the retrieval systems of "Towards Empathetic Open-domain Conversation Models".

Rashkin, Smith, Li and Boureau 2019 (https://aclanthology.org/P19-1534), section 4. Two transformers embed the context
x and a candidate y as h_x and h_y; the reply is the candidate with the largest h_x . h_y. Differences from the paper:
the pretrained encoders of the offline presets are sentence encoders (mean pooling, vectors of length 1, a temperature,
one encoder for both sides); repetitions of the right reply in a batch are not counted as wrong; the last tokens of a
long context are kept; the transformer of our own reads parts of words instead of words, and the fastText vectors that
it begins with are learned from the training texts.
"""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel, PreTrainedModel

from hearten.artifacts import folder
from hearten.config import Json
from hearten.data.candidates import Candidate
from hearten.dialogue import Example, Reply
from hearten.errors import UserError
from hearten.listener.shipped import SHIPPED, ranker
from hearten.nn.from_bytes import exported_weights
from hearten.nn.weights import arrays, fill
from hearten.retrieval.collection import Collection
from hearten.retrieval.consensus import nearest
from hearten.retrieval.encoder import CONTEXTS
from hearten.retrieval.index import Index
from hearten.retrieval.labels import Labeller
from hearten.retrieval.layout import Layout, Limits
from hearten.retrieval.pool import gather
from hearten.system import Array, Batch, Context, System
from hearten.systems.rashkin.encoders import BiEncoder, Tower, embed, padded
from hearten.systems.rashkin.labels import fit_labeller
from hearten.systems.rashkin.scratch import begin_with, cut, learn_tokenizer, learn_vectors, new_encoders
from hearten.systems.rashkin.settings import RashkinSettings
from hearten.systems.rashkin.teacher import of_tokens, taught

NETWORK, LABELLER, POOL = "network.", "labels.", "pool."
LABELS = "labels.json"
REMEMBERED = 200_000
"""Vectors kept of texts that were asked about."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A context and its reply as ids. Its length is 1, so that a batch is budgeted by pairs and not by tokens."""

    context: list[int]
    reply: list[int]
    taught: tuple[Array, Array] | None = None
    """What a teacher's vectors of the two are."""

    def __len__(self) -> int:
        return 1


class Rashkin(System):
    """Answers with the candidate whose vector fits that of the context best."""

    Config = RashkinSettings

    def __init__(
        self,
        settings: RashkinSettings,
        encoders: Sequence[PreTrainedModel],
        tokenizer: Tokenizer,
        pool: Sequence[Candidate],
        labeller: Labeller | None,
    ) -> None:
        padding = encoders[0].config.pad_token_id
        self.network = BiEncoder([Tower(encoder, settings, padding) for encoder in encoders], settings)
        self.network.eval()
        self.loss_weights = {"ranking": 1.0} | ({"taught": settings.teacher_weight} if settings.teacher else {})
        self.settings, self.tokenizer, self.labeller = settings, tokenizer, labeller
        self.layout = Layout(tokenizer, limits(settings), labeller)
        self._pool = pool
        self._collection: Collection | None = None
        self._vectors: dict[tuple[int, ...], Array] = {}
        self._version = self._weights_version()

    @classmethod
    def prepare(cls, config: RashkinSettings, examples: Sequence[Example], seed: int) -> Self:
        """Load the backbone, or learn a vocabulary and make encoders of our own; and collect the candidates."""
        pool = gather(config.pool, config.longest, config.screened, config.pool_sides).kept
        labeller = fit_labeller(config.prepend, examples, seed) if config.prepend else None
        count = 1 if config.shared else 2
        if config.start and config.start != SHIPPED:
            return cls._going_on(config, Path(config.start), pool, labeller)
        if config.scratch is None:
            from hearten.backbones.loading import encoder

            model, fast = encoder(str(config.backbone))
            _set_dropout(model, config.dropout)
            system = cls(config, [model, deepcopy(model)][:count], fast.backend_tokenizer, pool, labeller)
            if config.start:
                for tower in system.network.towers:
                    fill(tower, arrays(tower) | of_export(ranker(SHIPPED), tower))
            return system
        texts = [turn.text for example in examples for turn in (*example.context, example.reply)]
        tokenizer = learn_tokenizer(texts, config.scratch.vocabulary)
        encoders = new_encoders(config.scratch, tokenizer, config.dropout, count, seed)
        if config.scratch.taught_vectors:
            begin_with(cut(of_tokens(str(config.teacher), tokenizer), config.scratch.hidden), encoders)
        elif config.scratch.vector_epochs:
            begin_with(learn_vectors(texts, tokenizer, config.scratch, seed), encoders)
        return cls(config, encoders, tokenizer, pool, labeller)

    def assets(self) -> dict[str, Json]:
        """Return the tokenizer, the shape of the encoders, the candidates, and the words that labels are told by."""
        transformer: Any = self.network.contexts.transformer
        labels = {LABELS: self.labeller.assets()} if self.labeller else {}
        return labels | {
            "tokenizer.json": json.loads(self.tokenizer.to_str()),
            "architecture.json": json.loads(transformer.config.to_json_string(use_diff=False)),
            "candidates.json": [[candidate.id, candidate.text] for candidate in self._pool],
        }

    def tensors(self) -> dict[str, Array]:
        """Return the weights, and the vectors of the candidates as these weights make them."""
        parts = {
            NETWORK: arrays(self.network),
            LABELLER: self.labeller.tensors() if self.labeller else {},
            POOL: self.collection.index.stored(),
        }
        return {prefix + name: array for prefix, part in parts.items() for name, array in part.items()}

    @classmethod
    def restore(cls, config: RashkinSettings, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Rebuild the system from its folder alone; neither backbone nor corpora are needed any more."""
        pool = [Candidate(source, text) for source, text in assets["candidates.json"]]
        labeller = Labeller.restore(assets[LABELS], _under(LABELLER, tensors)) if LABELS in assets else None
        system = cls._filled(config, assets, tensors, pool, labeller)
        system._collection = Collection(pool, Index.restore(_under(POOL, tensors), config.exact_up_to))
        return system

    @classmethod
    def _going_on(
        cls, config: RashkinSettings, place: Path, pool: Sequence[Candidate], labeller: Labeller | None
    ) -> Self:
        found = folder.read_origin(place).system
        if found != "rashkin":
            raise UserError(f"{place} holds a {found}; only the encoders of a rashkin can be taken over")
        assets = {name: folder.read_json(place / name) for name in ("architecture.json", "tokenizer.json")}
        return cls._filled(config, assets, folder.read_tensors(place / folder.WEIGHTS), pool, labeller)

    @classmethod
    def _filled(
        cls,
        config: RashkinSettings,
        assets: Mapping[str, Json],
        tensors: Mapping[str, Array],
        pool: Sequence[Candidate],
        labeller: Labeller | None,
    ) -> Self:
        shape = dict(assets["architecture.json"])
        architecture = AutoConfig.for_model(shape.pop("model_type"), **shape)
        count = 1 if config.shared else 2
        encoders = [AutoModel.from_config(architecture, add_pooling_layer=False) for _ in range(count)]
        tokenizer = Tokenizer.from_str(json.dumps(assets["tokenizer.json"]))
        system = cls(config, encoders, tokenizer, pool, labeller)
        fill(system.network, _under(NETWORK, tensors))
        system._version = system._weights_version()
        return system

    def encode(self, example: Example) -> Pair:
        """Lay out one example."""
        return Pair(self.layout.context(example.context), self.layout.reply(example.reply.text))

    def pack(self, examples: Sequence[Example]) -> list[Pair]:
        """Lay out examples, with what the teacher makes of them if there is one."""
        pairs = [self.encode(example) for example in examples]
        if not self.settings.teacher:
            return pairs
        vectors = zip(*taught(self.settings.teacher, examples), strict=True)
        return [replace(pair, taught=theirs) for pair, theirs in zip(pairs, vectors, strict=True)]

    def collate(self, encoded: Sequence[Pair]) -> Batch:
        """Pad contexts and replies, and number the different replies."""
        numbers: dict[tuple[int, ...], int] = {}
        told = [numbers.setdefault(tuple(pair.reply), len(numbers)) for pair in encoded]
        tensors = {
            "contexts": padded([pair.context for pair in encoded]),
            "replies": padded([pair.reply for pair in encoded]),
            "reply_numbers": torch.tensor(told),
        }
        theirs = [pair.taught for pair in encoded if pair.taught]
        if theirs:
            sides = (torch.from_numpy(np.stack(side)) for side in zip(*theirs, strict=True))
            tensors |= zip(("taught_contexts", "taught_replies"), sides, strict=True)
        return Batch(tensors, dict.fromkeys(self.loss_weights, len(encoded)))

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return the dot products of contexts and candidates."""
        offered = self._embedded(self.network.candidates, [self.layout.reply(text) for text in candidates])
        return np.asarray(self._context_vectors(contexts) @ offered.T)

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return the candidates that fit best, without the labels that they were found by."""
        return self._nearest([context], n)[0]

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        """Return the best candidate for each context."""
        return [replies[0] for replies in self._nearest(contexts)]

    @property
    def collection(self) -> Collection:
        """The candidates and their vectors; made anew when the weights have changed."""
        self._forget_old_weights()
        if self._collection is None:
            rows = [self.layout.reply(candidate.text) for candidate in self._pool]
            index = Index(embed(self.network.candidates, rows), self.settings.exact_up_to)
            self._collection = Collection(self._pool, index)
        return self._collection

    def _nearest(self, contexts: Sequence[Context], n: int = 1) -> list[list[Reply]]:
        return nearest(self.collection, self._context_vectors(contexts), n, self.settings.consensus)

    def _context_vectors(self, contexts: Sequence[Context]) -> Array:
        return self._embedded(self.network.contexts, [self.layout.context(context) for context in contexts])

    def _embedded(self, tower: Tower, rows: Sequence[list[int]]) -> Array:
        """Return vectors, each text's computed once: P@1,100 asks six times for the same ones."""
        self._forget_old_weights()
        side = int(tower is not self.network.contexts)
        keys = [(side, *row) for row in rows]
        if len(self._vectors) + len(rows) > REMEMBERED:
            self._vectors = {}
        new = {key: row for key, row in zip(keys, rows, strict=True) if key not in self._vectors}
        if new:
            self._vectors |= zip(new, embed(tower, list(new.values())), strict=True)
        return np.stack([self._vectors[key] for key in keys])

    def _forget_old_weights(self) -> None:
        version = self._weights_version()
        if version != self._version:
            self._version, self._collection, self._vectors = version, None, {}

    def _weights_version(self) -> int:
        """Count the changes to the weights, which torch notes for each tensor."""
        return sum(weight._version for weight in self.network.parameters())


def limits(settings: RashkinSettings) -> Limits:
    """Return the part of the settings that decides how texts become ids."""
    labels = settings.prepend.k if settings.prepend else 0
    return Limits(settings.window, settings.max_context, settings.keep, settings.max_reply, labels)


def of_export(encoder: Path, tower: nn.Module) -> dict[str, Array]:
    """Return the weights of an exported encoder that contexts and candidates share, as ones that can learn."""
    return exported_weights(encoder / CONTEXTS, "_tower.", tower)


def _set_dropout(model: nn.Module, rate: float) -> None:
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate


def _under(prefix: str, tensors: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)}
