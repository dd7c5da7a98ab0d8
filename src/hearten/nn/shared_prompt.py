"""Many replies to one prompt, scored by a language model that reads the prompt once.

Prompt and replies stand in one row: each reply sees the prompt and itself, and its places are counted from the end of
the prompt, as if the others were not there. So nothing is padded and nothing is read twice.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

TOGETHER = 512
"""Tokens of replies in one row at the most: each has a logit for every word of the vocabulary."""


@torch.no_grad()
def reply_nats(causal_lm: Any, prompt: Sequence[int], replies: Sequence[Sequence[int]], end: int) -> Iterator[float]:
    """Give the log probability of each reply and its end token after the prompt."""
    for some in _rows(replies):
        yield from _nats(causal_lm, prompt, some, end)


def _rows(replies: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    row: list[Sequence[int]] = []
    for reply in replies:
        if row and sum(map(len, row)) + len(reply) > TOGETHER:
            yield row
            row = []
        row.append(reply)
    if row:
        yield row


def _nats(causal_lm: Any, prompt: Sequence[int], replies: Sequence[Sequence[int]], end: int) -> list[float]:
    device = causal_lm.device
    ids = [*prompt, *(token for reply in replies for token in reply)]
    places = [*range(len(prompt)), *(len(prompt) + place for reply in replies for place in range(len(reply)))]
    logits = causal_lm(
        input_ids=torch.tensor([ids], device=device),
        position_ids=torch.tensor([places], device=device),
        attention_mask=_mask(len(prompt), [len(reply) for reply in replies]).to(device),
        logits_to_keep=torch.arange(len(prompt) - 1, len(ids), device=device),
        use_cache=False,
    ).logits[0]  # (1 + tokens of replies, vocabulary)
    chances = logits.log_softmax(-1)
    starts = accumulate((len(reply) for reply in replies), initial=1)
    return [_sum(chances, start, reply, end) for start, reply in zip(starts, replies, strict=False)]


def _sum(chances: Tensor, start: int, reply: Sequence[int], end: int) -> float:
    """Add up what predicts a reply: the prompt's last token its first one, each of its tokens the next, and the end."""
    rows = torch.tensor([0, *range(start, start + len(reply))], device=chances.device)
    targets = torch.tensor([*reply, end], device=chances.device)
    return float(chances[rows, targets].double().sum())


def _mask(prompt: int, lengths: Sequence[int]) -> Tensor:
    """Return what is added to attention: 0 where a token may look, minus infinity elsewhere. (1, 1, tokens, tokens)"""
    owners = torch.tensor([0] * prompt + [number for number, n in enumerate(lengths, 1) for _ in range(n)])
    may_look = (owners[:, None] == owners) | (owners == 0)
    return torch.zeros(may_look.shape).masked_fill(~may_look.tril(), float("-inf"))[None, None]
