"""The two ways in: whole replies to many prompts, or one reply token by token."""

from collections.abc import Iterator, Sequence

from hearten.decoding import Decoding
from hearten.errors import UserError
from hearten.nn.decoding.beam import search
from hearten.nn.decoding.hypothesis import Hypothesis
from hearten.nn.decoding.sampling import write
from hearten.nn.decoding.stepper import Stepper


def generate(
    stepper: Stepper,
    prompts: Sequence[Sequence[int]],
    decoding: Decoding,
    end: int,
    n: int = 1,
    seed: int = 0,
    banned: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """Return `n` hypotheses for each prompt, best first.

    Samples are independent, so two may be equal. Without sampling, asking for more hypotheses than there are beams
    widens the search to as many; they all differ, and groups that found the same thing leave fewer than `n`. What
    comes of a prompt does not depend on the others.
    """
    if not prompts:
        return []
    if not decoding.sample and max(decoding.beams, n) > 1:
        found = search(stepper, prompts, decoding, end, _width(decoding, n), banned)
    else:
        *_, drafts = write(stepper, prompts, decoding, end, n, seed, banned)
        flat = [draft.hypothesis() for draft in drafts]
        found = [flat[first : first + n] for first in range(0, len(flat), n)]
    return [sorted(each, key=lambda hypothesis: -hypothesis.score)[:n] for each in found]


def _width(decoding: Decoding, n: int) -> int:
    """Return how many beams are needed, the same in every group."""
    return -(-max(decoding.beams, n) // decoding.groups) * decoding.groups


def stream(
    stepper: Stepper,
    prompt: Sequence[int],
    decoding: Decoding,
    end: int,
    seed: int = 0,
    banned: Sequence[int] = (),
) -> Iterator[int]:
    """Yield the ids that `generate` would give, each as soon as it is known; closing the iterator stops the model."""
    if decoding.beams > 1:
        raise UserError("beams are known only at their end and cannot be streamed; set beams = 1")
    steps = write(stepper, [prompt], decoding, end, 1, seed, banned)
    return (draft.ids[-1] for (draft,) in steps if not draft.is_finished)
