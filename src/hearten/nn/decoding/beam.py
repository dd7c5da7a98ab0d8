"""Beam search, and diverse beam search in groups (Vijayakumar et al. 2016).

Stops like transformers with `early_stopping=False`: when a group has as many finished hypotheses as beams, and its best
running beam, ranked at its present length, is no better than the worst of them. As there, a hypothesis finishes only
from among a group's best candidates. As in transformers 4, which had groups, the cost of diversity stays in a beam's
score, and ending costs nothing. Each group stops for itself, and its beams are not computed any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from hearten.decoding import Decoding
from hearten.nn.decoding.hypothesis import Hypothesis
from hearten.nn.decoding.processors import NEVER, constrain, discourage
from hearten.nn.decoding.stepper import Stepper


@dataclass(slots=True)
class Beam:
    """A reply that is being followed; `row` is where the stepper has it, or had what it continues."""

    row: int
    ids: tuple[int, ...] = ()
    total: float = 0.0
    """Sum of the scores of its tokens: log probabilities after all rules."""
    nats: float = 0.0

    def hypothesis(self, decoding: Decoding, end: int) -> Hypothesis:
        """Return the beam as a result, the end token taken off."""
        is_finished = self.ids[-1] == end
        ids = self.ids[:-1] if is_finished else self.ids
        return Hypothesis(ids, self.nats, self.rank(decoding), is_finished)

    def rank(self, decoding: Decoding) -> float:
        """Return the score that hypotheses of different lengths are compared by."""
        return float(self.total / len(self.ids) ** decoding.length_penalty)


@dataclass(slots=True)
class Group:
    """Beams that compete with each other, best first, and the best hypotheses that came of them."""

    width: int
    running: list[Beam]
    finished: list[Hypothesis] = field(default_factory=list)

    def advance(self, candidates: Sequence[Beam], decoding: Decoding, end: int) -> list[int]:
        """Choose among continuations of the running beams; return the tokens that the best take without ending."""
        best = sorted(candidates, key=lambda beam: -beam.total)
        going_on = [beam for beam in best if beam.ids[-1] != end][: self.width]
        is_last = any(len(beam.ids) == decoding.max_tokens for beam in best)
        over = [beam for beam in best[: self.width] if is_last or beam.ids[-1] == end]
        self.finished += [beam.hypothesis(decoding, end) for beam in over]
        self.finished = sorted(self.finished, key=lambda found: -found.score)[: self.width]
        self.running = going_on if not is_last and self._may_improve(going_on, decoding) else []
        return [beam.ids[-1] for beam in going_on]

    def _may_improve(self, going_on: Sequence[Beam], decoding: Decoding) -> bool:
        is_full = len(self.finished) == self.width
        return not is_full or any(beam.rank(decoding) > self.finished[-1].score for beam in going_on[:1])


def search(
    stepper: Stepper,
    prompts: Sequence[Sequence[int]],
    decoding: Decoding,
    end: int,
    width: int,
    banned: Sequence[int],
) -> list[list[Hypothesis]]:
    """Return the different hypotheses for each prompt, best first; `width` is the beams of all groups together."""
    each = width // decoding.groups
    searches = [[Group(each, [Beam(row)]) for _ in range(decoding.groups)] for row in range(len(prompts))]
    logits = stepper.start(prompts)
    while True:
        _advance(searches, logits.float().log_softmax(1), decoding, end, banned)
        beams = _running(searches)
        if not beams:
            return [_ranked(groups) for groups in searches]
        tokens = torch.tensor([beam.ids[-1] for beam in beams])
        logits = stepper.step(tokens, torch.tensor([beam.row for beam in beams]))
        for row, beam in enumerate(beams):
            beam.row = row


def _running(searches: Sequence[Sequence[Group]]) -> list[Beam]:
    return [beam for groups in searches for group in groups for beam in group.running]


def _ranked(groups: Sequence[Group]) -> list[Hypothesis]:
    """Merge what the groups found; of the same ids from several groups only the best stays."""
    best: dict[tuple[int, ...], Hypothesis] = {}
    for found in sorted((found for group in groups for found in group.finished), key=lambda found: -found.score):
        best.setdefault(found.ids, found)
    return list(best.values())


def _advance(
    searches: Sequence[Sequence[Group]], nats: Tensor, decoding: Decoding, end: int, banned: Sequence[int]
) -> None:
    """Advance all groups by a token, given the log probabilities of each row; earlier groups choose first."""
    written: list[tuple[int, ...]] = [()] * len(nats)
    for beam in _running(searches):
        written[beam.row] = beam.ids
    scores = constrain(nats, written, decoding, end, banned)
    taken: list[list[int]] = [[] for _ in searches]
    for column in zip(*searches, strict=True):  # the first groups of all prompts, then the second ones
        costly = [tokens for group, tokens in zip(column, taken, strict=True) for _ in group.running]
        rows = torch.tensor([beam.row for beam in _running([column])], dtype=torch.long, device=nats.device)
        lowered = discourage(scores[rows], costly, decoding.diversity)
        # one more than the width, because one of them may be the end
        found = iter(_continuations(_running([column]), lowered, nats[rows], column[0].width + 1))
        for group, tokens in zip(column, taken, strict=True):
            candidates = [beam for _ in group.running for beam in next(found)]
            tokens += group.advance(candidates, decoding, end)


def _continuations(beams: Sequence[Beam], scores: Tensor, nats: Tensor, count: int) -> list[list[Beam]]:
    """Return the best `count` continuations of each beam."""
    best = scores.topk(min(count, scores.shape[1]))
    gained = nats.gather(1, best.indices).tolist()
    options = zip(beams, best.indices.tolist(), best.values.tolist(), gained, strict=True)
    return [
        [
            Beam(beam.row, (*beam.ids, token), beam.total + score, beam.nats + own)
            for token, score, own in zip(tokens, values, owns, strict=True)
            if score > NEVER
        ]
        for beam, tokens, values, owns in options
    ]
