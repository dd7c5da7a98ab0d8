"""selector: a language model that learned which of several likely replies belongs to a conversation.

How much likelier a conversation makes a reply, log p(y|x) - log p(y), tells which reply belongs to it, although a
language model never learned to tell. Here it learns just that: conversations that an encoder finds alike are read with
each other's replies, and each has its own to find, by these gains. CAiRE (Lin et al. 2019) has a head of its own for
the choice and one distractor drawn at random; here nothing is added to the network, the choice is made by what the
model writes with, and the wrong replies are those that vectors alone would be fooled by.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedModel

from hearten.dialogue import Example
from hearten.nn.shared_prompt import Row, judged, laid_out
from hearten.system import Array, Batch, Context
from hearten.systems.plainlm.base import LanguageModel
from hearten.systems.rashkin.teacher import taught
from hearten.systems.selector.groups import groups
from hearten.systems.selector.network import Choice
from hearten.systems.selector.settings import SelectorSettings


@dataclass(frozen=True, slots=True)
class Group:
    """Prompts and their replies, which end with the end token. The length is that of all rows, filled up."""

    prompts: list[list[int]]
    replies: list[list[int]]
    alone: list[int]
    """The prompt after which nothing was said."""

    @property
    def rows(self) -> list[Row]:
        """Every prompt with all replies."""
        return [Row(prompt, self.replies) for prompt in (*self.prompts, self.alone)]

    def __len__(self) -> int:
        return len(self.rows) * max(map(len, self.rows))


class Selector(LanguageModel):
    """Says how well a reply belongs to a conversation; it can still write one."""

    Config = SelectorSettings
    _settings: SelectorSettings

    def __init__(self, settings: SelectorSettings, causal_lm: PreTrainedModel, tokenizer: Tokenizer) -> None:
        super().__init__(settings, causal_lm, tokenizer)
        self.network = Choice(causal_lm, settings.sharpness)
        self.network.eval()
        self.loss_weights = {"choice": 1.0, "reply": settings.reply_weight}

    def encode(self, example: Example) -> Group:
        """Lay out one example, which alone is no choice."""
        return self._group([example])

    def pack(self, examples: Sequence[Example]) -> list[Group]:
        """Put examples together that look alike."""
        contexts, replies = taught(self._settings.encoder, examples)
        found = groups(examples, contexts, replies, self._settings.group, self._settings.among)
        return [self._group([examples[number] for number in group]) for group in found]

    def collate(self, encoded: Sequence[Group]) -> Batch:
        """Lay all rows of all groups out, one group after the other."""
        tensors = laid_out([row for group in encoded for row in group.rows])
        sizes = [len(group.prompts) for group in encoded]
        words = sum(len(reply) for group in encoded for reply in group.replies)
        return Batch({**tensors, "sizes": torch.tensor(sizes)}, {"choice": sum(sizes), "reply": words})

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Return how much likelier each context makes each candidate; every pair is read. (contexts, candidates)"""
        alone = self._nats((), candidates)
        return np.stack([self._nats(context, candidates) - alone for context in contexts])

    def _nats(self, context: Context, replies: Sequence[str]) -> Array:
        ids = [self._layout.reply_ids(text) for text in replies]
        found = judged(self._model, self._layout.prompt(context), ids, self._layout.end)
        return np.array([one.nats for one in found])

    def _group(self, examples: Sequence[Example]) -> Group:
        longest = self._settings.max_reply - 1
        replies = [[*self._layout.reply_ids(one.reply.text)[:longest], self._layout.end] for one in examples]
        return Group([self._layout.prompt(one.context) for one in examples], replies, self._layout.prompt(()))
