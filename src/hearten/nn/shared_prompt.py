"""Many replies to one prompt, scored by a language model that reads the prompt once."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

TOGETHER = 16
"""Replies in one forward pass at the most: each of their tokens has a logit for every word of the vocabulary."""


@torch.no_grad()
def reply_nats(causal_lm: Any, prompt: Sequence[int], replies: Sequence[Sequence[int]], end: int) -> Iterator[float]:
    """Give the log probability of each reply and its end token after the prompt."""
    for first in range(0, len(replies), TOGETHER):
        some = [[*reply, end] for reply in replies[first : first + TOGETHER]]
        cache = DynamicCache(config=causal_lm.config)
        ids = torch.tensor([list(prompt)], device=causal_lm.device)
        start = causal_lm(
            input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1
        ).logits  # (1, 1, vocab)
        cache.batch_repeat_interleave(len(some))
        yield from _nats(causal_lm, cache, start.expand(len(some), -1, -1), some)


def _nats(causal_lm: Any, cache: Any, start: Tensor, replies: Sequence[Sequence[int]]) -> list[float]:
    """Replies are padded on the right, where no token that counts can see it."""
    width = max(map(len, replies))
    padded = torch.tensor([[*reply, *[0] * (width - len(reply))] for reply in replies], device=causal_lm.device)
    is_own = torch.tensor([[place < len(reply) for place in range(width)] for reply in replies], device=padded.device)
    logits = start
    if width > 1:
        rest = causal_lm(input_ids=padded[:, :-1], past_key_values=cache, use_cache=True).logits
        logits = torch.cat([start, rest], 1)  # (replies, width, vocabulary)
    found = -torch.nn.functional.cross_entropy(logits.transpose(1, 2), padded, reduction="none")
    totals: list[float] = (found * is_own).double().sum(1).tolist()
    return totals
