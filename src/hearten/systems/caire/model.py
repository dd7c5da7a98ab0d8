"""caire: one language model, three objectives.

Lin, Xu, Winata, Siddique, Liu, Shin and Fung 2019, "CAiRE: An End-to-End Empathetic Chatbot" (arXiv 1907.12108),
section 3, after TransferTransfo (Wolf et al. 2019, arXiv 1901.08149). Differences from the paper: any causal language
model may take GPT's place; dialogue states have embeddings of their own that begin at zero; every turn of the listener
ends with the end token; only a share of the examples may come with a distractor; a distractor is drawn once for all
epochs; the persona has our own words; and what the paper does not state is marked in the presets.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import PreTrainedModel

from hearten.artifacts import folder
from hearten.config import Json
from hearten.data.batches import in_order
from hearten.dialogue import Example, Reply
from hearten.errors import UserError
from hearten.nn.decoding import Hypothesis, generate
from hearten.nn.shared_prompt import judged
from hearten.nn.weights import arrays, fill
from hearten.system import Array, Batch, Context, Judgement, LogLikelihood, System, normalised
from hearten.systems.caire.distractors import distractors
from hearten.systems.caire.items import Item, chains, collate, lesson, rows_batch
from hearten.systems.caire.layout import Layout, Row
from hearten.systems.caire.network import CaireNetwork
from hearten.systems.caire.scratch import learn_tokenizer, new_model
from hearten.systems.caire.separators import teach
from hearten.systems.caire.settings import CaireSettings
from hearten.systems.caire.stepper import stepper
from hearten.systems.plainlm import origins

BUDGET = 4096
"""Padded tokens in one batch where nothing is learned."""
TOGETHER = 16
"""Contexts that are answered together."""
NEEDS_PLAIN_ROWS = "openai-gpt"
"""The architecture whose attention takes no mask of ours, so that replies cannot share a row."""


class Answer(NamedTuple):
    """What one reading of a context gives: the replies, best first, and the probabilities of the 32 emotions."""

    replies: list[Reply]
    emotions: Array


class Caire(System):
    """Answers in the listener's place, and reads how the speaker feels on the way."""

    Config = CaireSettings

    def __init__(
        self, settings: CaireSettings, causal_lm: PreTrainedModel, tokenizer: Tokenizer, seed: int = 0
    ) -> None:
        needed = settings.max_context + max(settings.max_reply + 1, settings.decoding.max_tokens)
        _require_positions(causal_lm, needed)
        self._settings, self._tokenizer = settings, tokenizer
        self.decoding, self.seed = settings.decoding, 0
        self._layout = Layout(tokenizer, settings)
        self._marks = self._layout.separators
        self.network = CaireNetwork(causal_lm, self._marks, settings.dropout, seed)
        self.network.eval()
        self.loss_weights = {"reply": settings.reply_weight, "selection": 1.0, "emotion": 1.0}

    @classmethod
    def prepare(cls, config: CaireSettings, examples: Sequence[Example], seed: int) -> Self:
        """Load the backbone or an earlier model, or make one of our own; and teach it the separators."""
        if (
            config.start
            and not origins.is_shipped(config.start)
            and folder.read_origin(Path(config.start)).system == "caire"
        ):
            place = Path(config.start)
            return cls.restore(config, origins.read_assets(place), folder.read_tensors(place / folder.WEIGHTS))
        if config.scratch is None or config.start:
            model, tokenizer = origins.taken_over(config.backbone, config.start)
        else:
            texts = (turn.text for example in examples for turn in (*example.context, example.reply))
            tokenizer = learn_tokenizer(texts, config.scratch.vocabulary)
            model = new_model(config.scratch, tokenizer.get_vocab_size(), seed)
        teach(tokenizer, model)
        return cls(config, model, tokenizer, seed)

    def assets(self) -> dict[str, Json]:
        """Return the tokenizer and the shape of the language model."""
        return origins.assets(self._model, self._tokenizer)

    def tensors(self) -> dict[str, Array]:
        """Return the weights of language model, states and classifiers."""
        return arrays(self.network)

    @classmethod
    def restore(cls, config: CaireSettings, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Rebuild the system from its folder alone; the backbone is not needed any more."""
        system = cls(config, *origins.rebuilt(assets))
        fill(system.network, tensors)
        return system

    def encode(self, example: Example) -> Item:
        """Lay out one example, which alone has no distractor."""
        return Item((lesson(self._layout, example),))

    def pack(self, examples: Sequence[Example]) -> list[Item]:
        """Lay out examples, those of a dialogue together, with distractors from one another."""
        wrong = distractors(examples, self._settings.distractor_share)
        lessons = [lesson(self._layout, *pair) for pair in zip(examples, wrong, strict=True)]
        return [Item(tuple(lessons[number] for number in chain)) for chain in chains(self._layout, examples)]

    def collate(self, encoded: Sequence[Item]) -> Batch:
        """Pad items into a batch."""
        return collate(encoded, self._marks.end)

    def answer(self, contexts: Sequence[Context], n: int = 1) -> list[Answer]:
        """Return replies to each context and the emotion heard in it, from one reading of the context."""
        found: dict[int, Answer] = {}
        prompts = [self._layout.prompt(context) for context in contexts]
        by_length = sorted(range(len(contexts)), key=lambda number: len(prompts[number]))
        for start in range(0, len(by_length), TOGETHER):
            numbers = by_length[start : start + TOGETHER]
            found |= zip(numbers, self._answer([prompts[number] for number in numbers], n), strict=True)
        return [found[number] for number in range(len(contexts))]

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return up to `n` different replies, the likeliest per token first."""
        return self.answer([context], n)[0].replies

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        """Return one reply to each context."""
        return [answer.replies[0] for answer in self.answer(contexts)]

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return the probabilities of the 32 emotions, read from EMO, for each context."""
        return normalised(self._read(self.network.emotion, [self._layout.prompt(context) for context in contexts]))

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return what the selection head says of every candidate in every context; each pair is read in full."""
        prompts = [self._layout.prompt(context) for context in contexts]
        rows = [self._layout.row(prompt, text).ids for prompt in prompts for text in candidates]
        return self._read(self.network.selection, rows).reshape(len(contexts), len(candidates))

    def judge(self, context: Context, replies: Sequence[str]) -> Judgement:
        """Return what language model and selection head make of each reply, from one reading of the context."""
        prompt = self._layout.prompt(context)
        rows = [self._layout.row(prompt, text, is_cut=False) for text in replies]
        if self._model.config.model_type == NEEDS_PLAIN_ROWS:
            selection = self._read(self.network.selection, [row.ids for row in rows])[:, 0]
            return Judgement(np.array(self._nats(rows)), selection)
        found = list(judged(self._model, prompt, [row.ids[len(prompt) : -1] for row in rows], self._marks.end))
        with torch.no_grad():
            chosen = [float(self.network.selection(one.last)) for one in found]
        return Judgement(np.array([one.nats for one in found]), np.array(chosen))

    def log_likelihood(self, examples: Sequence[Example]) -> list[LogLikelihood]:
        """Return the log likelihood of each whole reply and its end token."""
        rows = [self._layout.example(example, is_cut=False) for example in examples]
        return [LogLikelihood(nats, row.learned) for nats, row in zip(self._nats(rows), rows, strict=True)]

    @property
    def _model(self) -> Any:
        return self.network.causal_lm

    def _answer(self, prompts: Sequence[list[int]], n: int) -> list[Answer]:
        steps = stepper(self._model)
        banned = [self._marks.start, self._marks.speaker, self._marks.listener]
        made = generate(steps, prompts, self.decoding, self._marks.end, n, self.seed, banned=banned)
        with torch.no_grad():
            emotions = normalised(self.network.emotion(steps.prompt_states).float().cpu().numpy())
        return [Answer(self._replies(each), felt) for each, felt in zip(made, emotions, strict=True)]

    def _replies(self, hypotheses: Sequence[Hypothesis]) -> list[Reply]:
        scores: dict[str, float] = {}
        for one in hypotheses:
            text = self._layout.text(one.ids)
            scores[text] = max(one.nats_per_token, scores.get(text, -np.inf))
        return sorted((Reply(text, score) for text, score in scores.items()), key=lambda reply: -reply.score)

    def _nats(self, rows: Sequence[Row]) -> list[float]:
        """Return the log probability of what is to be learned of each row."""
        _require_positions(self._model, max(map(len, rows), default=0))
        found: dict[int, float] = {}
        for numbers in in_order([len(row) for row in rows], BUDGET):
            batch = rows_batch([rows[number] for number in numbers], self._marks.end)
            lost = self.network.row_nats({name: tensor.to(self.network.device) for name, tensor in batch.items()})
            found |= zip(numbers, (-lost).tolist(), strict=True)
        return [found[number] for number in range(len(rows))]

    def _read(self, head: nn.Linear, rows: Sequence[list[int]]) -> Array:
        """Return what a head says at the end of each row."""
        found = np.zeros((len(rows), head.out_features), dtype=np.float32)
        for numbers in in_order([len(row) for row in rows], BUDGET):
            chosen = [rows[number] for number in numbers]
            width = max(len(row) for row in chosen)
            ids = torch.tensor([row + [self._marks.end] * (width - len(row)) for row in chosen])
            lengths = torch.tensor([len(row) for row in chosen])
            device = self.network.device
            found[numbers] = self.network.read(head, ids.to(device), lengths.to(device)).cpu().numpy()
        return found


def _require_positions(causal_lm: Any, needed: int) -> None:
    """Refuse what the language model has no positions for."""
    positions = getattr(causal_lm.config, "max_position_embeddings", None)
    if positions is not None and needed > positions:
        raise UserError(
            f"a context and its reply need {needed} positions, and the language model has {positions}; "
            "lower system.max_context, system.max_reply or system.decoding.max_tokens"
        )
