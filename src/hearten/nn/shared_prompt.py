"""Many replies to one prompt, read by a language model that reads the prompt once.

Prompt and replies stand in one row: each reply sees the prompt and itself, and its places are counted from the end of
the prompt, as if the others were not there. So little is padded and nothing is read twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import torch
from torch import Tensor

TOGETHER = 512
"""Tokens of replies in one row at the most: each has a logit for every word of the vocabulary."""
PROMPT, ABSENT = 0, -1
"""Whose a token is: the prompt's, nobody's, or that of the reply with this number, which begin at 1."""

Ids = Sequence[int]


class Row(NamedTuple):
    """A prompt, and replies of which each stands right after it."""

    prompt: Ids
    replies: Sequence[Ids]

    def __len__(self) -> int:
        return len(self.prompt) + sum(map(len, self.replies))


class Judged(NamedTuple):
    """What a language model makes of a reply."""

    nats: float
    """Log probability of the reply and its end token after the prompt."""
    last: Tensor
    """The state after the end token. (hidden,)"""


def laid_out(rows: Sequence[Row]) -> dict[str, Tensor]:
    """Return ids, places, owners and sources of all tokens, filled up on the right. (rows, tokens)

    A token's source is where the state stands that predicts it: the prompt's last for the first of a reply.
    """
    shape = len(rows), max(map(len, rows))
    found = {name: torch.zeros(shape, dtype=torch.long) for name in ("ids", "places", "sources")}
    found["owners"] = torch.full(shape, ABSENT)
    for number, row in enumerate(rows):
        before = len(row.prompt)
        spans = [(PROMPT, 0, row.prompt), *((owner, before, reply) for owner, reply in enumerate(row.replies, 1))]
        at = 0
        for owner, place, tokens in spans:
            here = slice(at, at + len(tokens))
            found["ids"][number, here] = torch.tensor(tokens, dtype=torch.long)
            found["places"][number, here] = torch.arange(place, place + len(tokens))
            found["sources"][number, here] = torch.arange(at - 1, at + len(tokens) - 1)
            if owner and tokens:
                found["sources"][number, at] = before - 1
            found["owners"][number, here] = owner
            at += len(tokens)
    return found


def read(causal_lm: Any, tensors: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the log probability of each reply, 0 where a row has fewer, and all states.

    (rows, replies) and (rows, tokens, hidden)
    """
    owners = tensors["owners"]
    states = causal_lm.get_decoder()(
        input_ids=tensors["ids"],
        position_ids=tensors["places"],
        attention_mask=_mask(owners).to(causal_lm.dtype),
        use_cache=False,
    ).last_hidden_state
    rows, places = torch.where(owners > PROMPT)
    logits = causal_lm.get_output_embeddings()(states[rows, tensors["sources"][rows, places]])  # (tokens, vocabulary)
    targets = tensors["ids"][rows, places]
    chances = logits.float().log_softmax(-1).gather(1, targets[:, None])[:, 0].double()
    nats = chances.new_zeros(len(owners), int(owners.max()))
    return nats.index_put((rows, owners[rows, places] - 1), chances, accumulate=True), states


@torch.no_grad()
def judged(causal_lm: Any, prompt: Ids, replies: Sequence[Ids], end: int) -> Iterator[Judged]:
    """Read each reply and its end token after the prompt."""
    for several in _cut([[*reply, end] for reply in replies]):
        tensors = {name: one.to(causal_lm.device) for name, one in laid_out([Row(prompt, several)]).items()}
        nats, states = read(causal_lm, tensors)
        ends = accumulate((len(reply) for reply in several), initial=len(prompt) - 1)
        next(ends)
        yield from (Judged(float(one), states[0, last]) for one, last in zip(nats[0], ends, strict=True))


def _cut(replies: Sequence[list[int]]) -> Iterator[list[list[int]]]:
    row: list[list[int]] = []
    for reply in replies:
        if row and sum(map(len, row)) + len(reply) > TOGETHER:
            yield row
            row = []
        row.append(reply)
    if row:
        yield row


def _mask(owners: Tensor) -> Tensor:
    """Return what is added to attention: 0 where a token may look, else minus infinity. (rows, 1, tokens, tokens)"""
    may_look = (owners[:, :, None] == owners[:, None, :]) | (owners[:, None, :] == PROMPT)
    return torch.zeros(may_look.shape, device=owners.device).masked_fill(~may_look.tril(), float("-inf"))[:, None]
