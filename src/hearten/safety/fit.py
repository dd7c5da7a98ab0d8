"""Fit the classifier anew from the lessons: `python -m hearten.safety.fit`. The same lessons give the same weights."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from zlib import crc32

import numpy as np

from hearten.safety import lessons
from hearten.safety.classifier import CLASSES, Card, Classifier, home, write
from hearten.safety.detect import crisis
from hearten.safety.features import Floats, dense, features
from hearten.safety.fold import fold
from hearten.safety.kinds import Crisis
from hearten.safety.lessons import Lesson
from hearten.safety.linear import fit
from hearten.safety.phrases import without_idioms
from hearten.safety.report import Row, evaluate, show

FOLDS = 5
THRESHOLD = 0.72
"""Chosen on turns of EmpatheticDialogues; see docs/concepts/safety.md."""
THRESHOLD_AFTER = 0.45


def refit(place: Path, given: Sequence[Lesson], everyday: Sequence[Lesson]) -> list[Row]:
    """Fit on all lessons, write the classifier, and return its cross-validation on the given ones."""
    both = [*given, *everyday]
    examples = dense([features(without_idioms(fold(one.text))) for one in both])
    targets = np.eye(len(CLASSES), dtype=np.float32)[[CLASSES.index(one.kind) for one in both]]
    products = examples @ examples.T
    rows = _cross_validated(given, examples, products, targets)
    weights = examples.T @ fit(products, targets)
    sums = {"lessons.tsv": lessons.digest(given), "sample corpus": lessons.digest(everyday)}
    write(
        place,
        weights,
        threshold=THRESHOLD,
        threshold_after=THRESHOLD_AFTER,
        lessons=sums,
        held_out=[asdict(row) for row in rows],
    )
    return rows


def _cross_validated(given: Sequence[Lesson], examples: Floats, products: Floats, targets: Floats) -> list[Row]:
    """Ask for each lesson a classifier that did not learn from it."""
    parts = np.array([crc32(one.text.encode()) % FOLDS for one in given])
    held = np.concatenate([parts, np.full(len(examples) - len(given), -1)])
    asked: dict[str, Callable[[str], Crisis | None]] = {}
    for part in range(FOLDS):
        taught = held != part
        weights = examples[taught].T @ fit(products[np.ix_(taught, taught)], targets[taught])
        find = _finder(weights)
        asked |= {one.text: find for one, own in zip(given, parts, strict=True) if own == part}
    return evaluate(given, lambda text: asked[text](text))


def _finder(weights: Floats) -> Callable[[str], Crisis | None]:
    card = Card(THRESHOLD, THRESHOLD_AFTER, lessons={}, held_out=[], sha256="")
    classifier = Classifier(weights, card)
    return lambda text: crisis(text, classifier=classifier)


def main() -> None:
    """Fit the shipped classifier and print how it does."""
    rows = refit(home(), lessons.read(), lessons.everyday())
    print(show(rows))
    hits = sum(row.found for row in rows[1:])
    print(f"\nprecision {hits / (hits + rows[0].found):.1%}, false alarms {rows[0].found / rows[0].sentences:.1%}")


if __name__ == "__main__":
    main()
