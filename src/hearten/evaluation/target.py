"""What to evaluate, and on what: a model folder, or a system that needs no training; and the test examples."""

import hashlib
import json
import random
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hearten.artifacts.folder import WEIGHTS, Origin
from hearten.data import source
from hearten.data.corpus import TextCorpus
from hearten.data.source import MissingCorpus
from hearten.decoding import Decoding
from hearten.dialogue import Dialogue, Example, examples
from hearten.system import System, decode_with
from hearten.training.build import ready


@dataclass(frozen=True, slots=True)
class Target:
    """A system that is ready to answer, and where it comes from."""

    system: System
    origin: Origin
    identity: str
    """Changes when the system changes, so that half-finished work on another one is not taken up."""
    model: Path | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """The dialogues of a split and the listener examples in them."""

    dialogues: list[Dialogue]
    examples: list[Example]


def open_target(
    named: str, preset: str, decoding: Decoding | None = None, overrides: list[str] | None = None
) -> Target:
    """Load a model folder, or build a system that needs no training by name; it may be told how to decode."""
    system, origin = ready(named, preset, overrides)
    decode_with(system, decoding)
    place = Path(named)
    known = [json.dumps(asdict(replace(origin, command="")), sort_keys=True), repr(decoding)]
    if not place.is_dir():
        return Target(system, origin, _digest(known))
    weights = (place / WEIGHTS).stat()
    return Target(system, origin, _digest([*known, str(weights.st_size), str(weights.st_mtime)]), place)


def read_gold(
    corpus: str, split: str, window: int | None = None, limit: int | None = None, draw: int | None = None
) -> Gold:
    """Read the listener examples of a split, with the labels of their turns where these are at hand.

    A corpus of labelled texts gives examples without a context. `limit` takes the first ones or, with a seed to `draw`
    by, any of the whole split, in their order.
    """
    if isinstance(source.corpus(corpus), TextCorpus):
        return Gold([], _some(source.load_examples(corpus, split), limit, draw))
    try:
        found = list(source.labelled_dialogues(corpus, split))
    except MissingCorpus:
        source.folder_of(corpus)  # raises where it is the corpus itself that is missing
        print(f"the turns of {corpus} carry no labels: the corpus that labels them is not here", file=sys.stderr)
        found = list(source.dialogues(corpus, split))
    chosen = [example for dialogue in found for example in examples(dialogue, "listener", window)]
    return Gold(found, _some(chosen, limit, draw))


def _some(chosen: list[Example], limit: int | None, draw: int | None) -> list[Example]:
    if limit is None or limit >= len(chosen) or draw is None:
        return chosen[:limit]
    return [chosen[number] for number in sorted(random.Random(draw).sample(range(len(chosen)), limit))]


def fingerprint(identity: str, gold: Iterable[Example], seed: int) -> str:
    """Say in one short word which system answers which contexts."""
    contexts = [f"{example.id} {len(example.context)}" for example in gold]
    return _digest([identity, str(seed), *contexts])


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:16]
