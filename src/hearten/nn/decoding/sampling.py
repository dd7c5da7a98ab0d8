"""One token after the other: the likeliest each time, or a drawn one.

Each sample has dice of its own, seeded by the seed, the prompt and the sample's number. A prompt is therefore answered
alike alone and among others, up to rounding in the model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import torch
from torch import Tensor

from hearten.decoding import Decoding
from hearten.nn.decoding.hypothesis import Hypothesis
from hearten.nn.decoding.processors import constrain, warp
from hearten.nn.decoding.stepper import Stepper


@dataclass(slots=True)
class Draft:
    """A reply that is being written."""

    dice: Random
    ids: list[int] = field(default_factory=list)
    nats: float = 0.0
    is_finished: bool = False

    def add(self, token: int, nats: float, end: int) -> None:
        """Go on by one token, or finish."""
        self.nats += nats
        self.is_finished = token == end
        if not self.is_finished:
            self.ids.append(token)

    def hypothesis(self) -> Hypothesis:
        """Return the draft as a result, scored by its log probability per token."""
        score = self.nats / (len(self.ids) + self.is_finished)
        return Hypothesis(tuple(self.ids), self.nats, score, self.is_finished)


def write(
    stepper: Stepper,
    prompts: Sequence[Sequence[int]],
    decoding: Decoding,
    end: int,
    n: int,
    seed: int,
    banned: Sequence[int],
) -> Iterator[list[Draft]]:
    """Yield `n` drafts for each prompt, after every token."""
    drafts = [Draft(_dice(seed, prompt, number)) for prompt in prompts for number in range(n)]
    growing, rows = drafts, torch.arange(len(prompts)).repeat_interleave(n)
    logits = stepper.start(prompts)[rows]
    while True:
        tokens = _extend(growing, logits.float(), decoding, end, banned)
        yield drafts
        is_open = [not draft.is_finished and len(draft.ids) < decoding.max_tokens for draft in growing]
        if not any(is_open):
            return
        kept = torch.tensor(is_open).nonzero()[:, 0]
        logits = stepper.step(tokens[kept], rows[kept])
        growing, rows = [growing[place] for place in kept.tolist()], torch.arange(len(kept))


def _dice(seed: int, prompt: Sequence[int], number: int) -> Random:
    return Random(f"{seed}/{','.join(map(str, prompt))}/{number}")


def _extend(drafts: Sequence[Draft], logits: Tensor, decoding: Decoding, end: int, banned: Sequence[int]) -> Tensor:
    scores = constrain(logits, [draft.ids for draft in drafts], decoding, end, banned)
    dice = [draft.dice for draft in drafts]
    tokens = _draw(warp(scores, decoding), dice) if decoding.sample else scores.argmax(1)
    nats = logits.log_softmax(1).gather(1, tokens[:, None])[:, 0]
    for draft, token, gained in zip(drafts, tokens.tolist(), nats.tolist(), strict=True):
        draft.add(token, gained, end)
    return tokens.cpu()


def _draw(scores: Tensor, dice: Sequence[Random]) -> Tensor:
    """Draw a token from each row: the first whose cumulative probability exceeds a throw."""
    cumulative = scores.softmax(1).cpu().double().cumsum(1)  # (rows, vocabulary); not every device has doubles
    throws = torch.tensor([[die.random()] for die in dice], dtype=cumulative.dtype) * cumulative[:, -1:]
    return torch.searchsorted(cumulative, throws, right=True)[:, 0].to(scores.device)
