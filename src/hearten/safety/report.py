"""How well crises are found: `python -m hearten.safety.report [--corpus empathetic_dialogues]`."""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hearten.data import source
from hearten.safety import lessons
from hearten.safety.classifier import CLASSES, shipped
from hearten.safety.detect import crisis
from hearten.safety.kinds import Crisis
from hearten.safety.lessons import Lesson

MANNERS = {"plain": "in so many words", "oblique": "between the lines"}


@dataclass(frozen=True, slots=True)
class Row:
    """What was found among sentences of one kind; for "none" everything found is a false alarm."""

    kind: str
    sentences: int
    by_phrase: int
    found: int
    right_kind: int


def evaluate(given: Sequence[Lesson], find: Callable[[str], Crisis | None] = crisis) -> list[Row]:
    """Count what is found, kind by kind."""
    kinds = [kind for kind in CLASSES if any(one.kind == kind for one in given)]
    return [_row(kind, [find(one.text) for one in given if one.kind == kind]) for kind in kinds]


def show(rows: Sequence[Row]) -> str:
    """Return the counts as a table."""
    lines = ["| kind | sentences | by a phrase | found | share | right kind |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        share = row.found / row.sentences
        lines.append(
            f"| {row.kind} | {row.sentences} | {row.by_phrase} | {row.found} | {share:.1%} | {row.right_kind} |"
        )
    return "\n".join(lines)


def firings(corpus: str, turns: int, seed: int) -> Counter[str]:
    """Count what is found among so many turns of speakers, drawn from the training part of a corpus."""
    said = [turn.text for one in source.dialogues(corpus, "train") for turn in one.turns if turn.role == "speaker"]
    drawn = random.Random(seed).sample(said, min(turns, len(said)))
    found = (crisis(text) for text in drawn)
    return Counter(f"{one.kind}, {'gentle' if one.gentle else 'firm'}, by {one.found_by}" for one in found if one)


def _row(kind: str, found: Sequence[Crisis | None]) -> Row:
    hits = [one for one in found if one]
    return Row(
        kind=kind,
        sentences=len(found),
        by_phrase=sum(one.found_by == "phrase" for one in hits),
        found=len(hits),
        right_kind=sum(one.kind == kind for one in hits),
    )


def main() -> None:
    """Print the tables; of a corpus only counts, never text."""
    parser = argparse.ArgumentParser(prog="python -m hearten.safety.report", description=__doc__)
    parser.add_argument("--corpus", help="also count what is found in a corpus, such as empathetic_dialogues")
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=2)
    given = parser.parse_args()
    held_out = lessons.read_held_out()
    for manner, meaning in MANNERS.items():
        print(f"Held-out sentences that say it {meaning}:\n")
        print(show(evaluate([one for one in held_out if one.manner == manner])), end="\n\n")
    print("Five-fold cross-validation on the lessons:\n")
    print(show([Row(**row) for row in shipped().card.held_out]))
    if given.corpus:
        counts = firings(given.corpus, given.turns, given.seed)
        print(f"\n{counts.total()} of {given.turns} turns of {given.corpus} (train), seed {given.seed}:\n")
        print("\n".join(f"{number:4d}  {name}" for name, number in counts.most_common()))


if __name__ == "__main__":
    main()
