"""reader: how does the speaker feel, what does an utterance do, and what should the next one do?

One encoder with three heads. `emotion` reads the conversation so far (or a situation) as one of the 32 emotions of
EmpatheticDialogues; `label` reads a single utterance as one of 41: those, eight response intents, or neutral, as the
classifier of MEED2 does (Xie and Pu, CoNLL 2021, section 3.2); `plan` says which of the 41 a listener's next utterance
will be, as their predictor does (section 4). Differences from theirs: a small sentence encoder in the place of
RoBERTa, the mean of its token vectors, and one encoder for all tasks.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModel, PreTrainedModel

from hearten.artifacts import folder
from hearten.config import Json
from hearten.data.batches import in_order
from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.nn.from_bytes import exported_weights
from hearten.nn.weights import arrays, fill
from hearten.reader import folder as light
from hearten.reader.layout import Layout
from hearten.system import Array, Batch, Context, System, normalised
from hearten.systems.reader.items import Item, lessons
from hearten.systems.reader.network import HEADS, IGNORED, Logits, ReaderNetwork
from hearten.systems.reader.scratch import learn_tokenizer, new_model
from hearten.systems.reader.settings import ReaderSettings
from hearten.systems.reader.teacher import require_reader, taught

ASSETS = ("tokenizer.json", "architecture.json")
SHIPPED = "shipped"
BUDGET = 1024
"""Padded tokens in one batch where nothing is learned."""


class EmotionReader(System):
    """Reads the emotion of a conversation and the label of an utterance."""

    Config = ReaderSettings

    def __init__(self, settings: ReaderSettings, encoder: PreTrainedModel, tokenizer: Tokenizer, seed: int = 0) -> None:
        self.network = ReaderNetwork(encoder, encoder.config.hidden_size, settings, seed)
        self.network.eval()
        self.loss_weights = {name: getattr(settings, f"{name}_weight") for name in HEADS}
        if settings.teacher:
            self.loss_weights["distil"] = settings.distil_weight
        self.layout = Layout(tokenizer, settings.max_tokens)
        self.settings, self.tokenizer = settings, tokenizer

    @classmethod
    def prepare(cls, config: ReaderSettings, examples: Sequence[Example], seed: int) -> Self:
        """Load the backbone or an earlier reader, or learn a vocabulary and make an encoder of our own."""
        if config.start and config.start != SHIPPED:
            return cls._going_on(config, Path(config.start), seed)
        if config.scratch is None:
            from hearten.backbones.loading import encoder

            model, fast = encoder(str(config.backbone))
            reader = cls(config, model, fast.backend_tokenizer, seed)
            if config.start:
                fill(reader.network, arrays(reader.network) | of_export(light.shipped(), reader.network))
            return reader
        texts = (turn.text for example in examples for turn in (*example.context, example.reply))
        tokenizer = learn_tokenizer(texts, config.scratch.vocabulary)
        model = new_model(config.scratch, tokenizer.get_vocab_size(), config.max_tokens, seed)
        return cls(config, model, tokenizer, seed)

    @classmethod
    def _going_on(cls, config: ReaderSettings, place: Path, seed: int) -> Self:
        """Take over encoder and heads of an earlier reader; heads that it lacks begin anew."""
        require_reader(place)
        assets = {name: folder.read_json(place / name) for name in ASSETS}
        reader = cls._shaped(config, assets, seed)
        fill(reader.network, arrays(reader.network) | folder.read_tensors(place / folder.WEIGHTS))
        return reader

    @classmethod
    def _shaped(cls, config: ReaderSettings, assets: Mapping[str, Json], seed: int = 0) -> Self:
        shape = dict(assets["architecture.json"])
        architecture = AutoConfig.for_model(shape.pop("model_type"), **shape)
        encoder = AutoModel.from_config(architecture, add_pooling_layer=False)
        return cls(config, encoder, Tokenizer.from_str(json.dumps(assets["tokenizer.json"])), seed)

    def assets(self) -> dict[str, Json]:
        """Return the tokenizer and the shape of the encoder."""
        architecture = json.loads(self._encoder.config.to_json_string(use_diff=False))
        return dict(zip(ASSETS, (json.loads(self.tokenizer.to_str()), architecture), strict=True))

    def tensors(self) -> dict[str, Array]:
        """Return the weights of encoder and heads."""
        return arrays(self.network)

    @classmethod
    def restore(cls, config: ReaderSettings, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Rebuild the reader from its folder alone; the backbone is not needed any more."""
        reader = cls._shaped(config, assets)
        fill(reader.network, tensors)
        return reader

    def encode(self, example: Example) -> Item:
        """Encode the first thing that an example teaches."""
        found = self.pack([example])
        if not found:
            raise UserError(f"example {example.id} carries neither a known emotion nor a known label")
        return found[0]

    def pack(self, examples: Sequence[Example]) -> list[Item]:
        """Encode everything that the examples teach, one item per text."""
        found = lessons(examples, self.settings)
        logits: Sequence[Array | None] = [None] * len(found)
        if self.settings.teacher:
            logits = list(taught(Path(self.settings.teacher), [lesson.texts for lesson in found]))
        pairs = zip(found, logits, strict=True)
        return [Item(self.layout.ids(one.texts), one.emotion, one.label, one.plan, soft) for one, soft in pairs]

    def collate(self, encoded: Sequence[Item]) -> Batch:
        """Pad texts on the right.

        All parts of the loss are divided by all targets: batches hold texts of like length, and a lone label among
        long conversations must not weigh as much as all of them. So the parts add up to the mean loss of a target.
        """
        targets = {name: torch.tensor([getattr(item, name) for item in encoded]) for name in HEADS}
        count = sum(int((numbers != IGNORED).sum()) for numbers in targets.values())
        tensors = {**self._padded([item.ids for item in encoded]), **targets}
        if self.settings.teacher:
            tensors["taught"] = torch.from_numpy(np.stack([item.taught for item in encoded if item.taught is not None]))
        return Batch(tensors, dict.fromkeys(self.loss_weights, count))

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return the probabilities of the 32 emotions for each conversation."""
        return normalised(self.read([[turn.text for turn in context] for context in contexts]).emotion.numpy())

    def labels(self, texts: Sequence[str]) -> Array:
        """Return the probabilities of the 41 labels for each utterance."""
        return normalised(self.read([[text] for text in texts]).label.numpy())

    def intents(self, contexts: Sequence[Context]) -> Array:
        """Return the probabilities of the 41 labels for the reply to each conversation."""
        return normalised(self.read([[turn.text for turn in context] for context in contexts]).plan.numpy())

    def read(self, texts: Sequence[Sequence[str]]) -> Logits:
        """Return what the heads say of each conversation, given as the texts of its turns."""
        return self.read_ids([self.layout.ids(one) for one in texts])

    @torch.no_grad()
    def read_ids(self, ids: Sequence[list[int]]) -> Logits:
        """Return what the heads say of texts that are ids already."""
        device = self._encoder.device
        batches = in_order([len(one) for one in ids], BUDGET)
        if not batches:
            return self.network.empty()
        found = []
        for numbers in batches:
            batch = {name: tensor.to(device) for name, tensor in self._padded([ids[n] for n in numbers]).items()}
            found.append(self.network.logits(batch["ids"], batch["mask"]))
        order = torch.from_numpy(np.argsort([number for numbers in batches for number in numbers]))
        return Logits(*(torch.cat(parts).cpu()[order] for parts in zip(*found, strict=True)))

    @property
    def _encoder(self) -> Any:
        return self.network.encoder

    def _padded(self, ids: Sequence[list[int]]) -> dict[str, torch.Tensor]:
        width = max(len(one) for one in ids)
        padded = [one + [self.layout.pad] * (width - len(one)) for one in ids]
        mask = [[1] * len(one) + [0] * (width - len(one)) for one in ids]
        return {"ids": torch.tensor(padded), "mask": torch.tensor(mask)}


def of_export(place: Path, network: ReaderNetwork) -> dict[str, Array]:
    """Return the weights of an exported reader, whose files are checked first, as ones that can learn."""
    light.read(place)
    return exported_weights(place / light.MODEL, "network.", network)
