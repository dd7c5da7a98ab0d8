"""Many replies to one prompt, judged by a language model that reads the prompt once.

Prompt and replies stand in one row: each reply sees the prompt and itself, and its places are counted from the end of
the prompt, as if the others were not there. So nothing is padded and nothing is read twice.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import torch
from torch import Tensor

TOGETHER = 512
"""Tokens of replies in one row at the most: each has a logit for every word of the vocabulary."""


class Judged(NamedTuple):
    """What a language model makes of a reply."""

    nats: float
    """Log probability of the reply and its end token after the prompt."""
    last: Tensor
    """The state after the end token. (hidden,)"""


@torch.no_grad()
def judged(causal_lm: Any, prompt: Sequence[int], replies: Sequence[Sequence[int]], end: int) -> Iterator[Judged]:
    """Read each reply and its end token after the prompt."""
    for row in _rows([[*reply, end] for reply in replies]):
        yield from _judged(causal_lm, prompt, row)


def _rows(replies: Sequence[list[int]]) -> Iterator[list[list[int]]]:
    row: list[list[int]] = []
    for reply in replies:
        if row and sum(map(len, row)) + len(reply) > TOGETHER:
            yield row
            row = []
        row.append(reply)
    if row:
        yield row


def _judged(causal_lm: Any, prompt: Sequence[int], replies: Sequence[list[int]]) -> Iterator[Judged]:
    device = causal_lm.device
    tokens = [token for reply in replies for token in reply]
    places = [*range(len(prompt)), *(len(prompt) + place for reply in replies for place in range(len(reply)))]
    states = causal_lm.get_decoder()(
        input_ids=torch.tensor([[*prompt, *tokens]], device=device),
        position_ids=torch.tensor([places], device=device),
        attention_mask=_mask(len(prompt), [len(reply) for reply in replies]).to(device, causal_lm.dtype),
        use_cache=False,
    ).last_hidden_state[0, len(prompt) - 1 :]  # (1 + tokens of replies, hidden)
    ends = list(accumulate(len(reply) for reply in replies))
    predicting = [place for stop, reply in zip(ends, replies, strict=True) for place in _predicting(stop, len(reply))]
    logits = causal_lm.get_output_embeddings()(states[predicting]).float()  # (tokens of replies, vocabulary)
    chances = logits.log_softmax(-1)[torch.arange(len(tokens)), torch.tensor(tokens)].double()
    for stop, reply in zip(ends, replies, strict=True):
        yield Judged(float(chances[stop - len(reply) : stop].sum()), states[stop])


def _predicting(stop: int, length: int) -> Iterator[int]:
    """Give the states that predict a reply: the prompt's last one its first token, each of its own the next."""
    yield 0
    yield from range(stop - length + 1, stop)


def _mask(prompt: int, lengths: Sequence[int]) -> Tensor:
    """Return what is added to attention: 0 where a token may look, minus infinity elsewhere. (1, 1, tokens, tokens)"""
    owners = torch.tensor([0] * prompt + [number for number, n in enumerate(lengths, 1) for _ in range(n)])
    may_look = (owners[:, None] == owners) | (owners == 0)
    return torch.zeros(may_look.shape).masked_fill(~may_look.tril(), float("-inf"))[None, None]
