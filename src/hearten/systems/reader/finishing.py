"""What an exported reader gets beside its encoder: counted words, calibrated probabilities, and its card."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hearten.errors import UserError
from hearten.reader import calibration, counts, folder, views
from hearten.reader.counts import Counts
from hearten.reader.folder import Card, Head
from hearten.reader.layout import Layout
from hearten.reader.model import Reader, said_last
from hearten.reader.session import Session
from hearten.reader.views import Talk
from hearten.system import Array, normalised
from hearten.systems.reader.items import Lesson
from hearten.systems.tfidf.fit import fit
from hearten.taxonomy import EMOTIONS, LABELS

NAMES = {"emotion": EMOTIONS, "label": LABELS, "plan": LABELS}
OPTIONAL = {"plan"}
"""Heads that a reader need not have learned."""
COUNTED = ("emotion", "label")
"""Questions that counted words are asked too; how a listener would respond is not told by single words."""
LONGEST, MIN_DOCUMENTS, INVERSE_PENALTY = 2, 4, 2.0


class Opinions(NamedTuple):
    """What is said of the held-out texts, each (texts, labels): the logits of the encoder for the whole conversation
    and for the speaker's turns alone, and the logs of a second reader's probabilities."""

    whole: Array
    alone: Array | None
    second: Array | None


def finish(
    draft: Path,
    layout: Layout,
    max_tokens: int,
    learned: Sequence[Lesson],
    held_out: Sequence[Lesson],
    origin: dict[str, object],
    kept: Mapping[str, Head] | None = None,
    second: Reader | None = None,
) -> None:
    """Complete a folder that holds model, tokenizer and words; a head that nothing can be fitted on stays as `kept`.

    What a second reader says counts as far as it helps.
    """
    counted = {name: _counted(name, learned, max_tokens).in_bytes() for name in COUNTED}
    counts.write(draft / folder.COUNTS, counted)
    heads = calibrate(Session(draft / folder.MODEL, layout), counted, held_out, max_tokens, kept or {}, second)
    digests = {name: folder.digest(draft / name) for name in folder.FILES}
    folder.write(draft, Card(max_tokens, heads, origin, digests))


def _counted(name: str, lessons: Sequence[Lesson], max_tokens: int) -> Counts:
    chosen = [lesson for lesson in lessons if getattr(lesson, name) >= 0]
    labels = [NAMES[name][getattr(lesson, name)] for lesson in chosen]
    if len(set(labels)) < 2:
        raise UserError(f"the training split has fewer than two different targets for the '{name}' head")
    told = [said_last(lesson.texts, max_tokens) for lesson in chosen]
    return fit(told, labels, NAMES[name], LONGEST, MIN_DOCUMENTS, INVERSE_PENALTY)


def calibrate(
    session: Session,
    counted: Mapping[str, Counts],
    held_out: Sequence[Lesson],
    max_tokens: int,
    kept: Mapping[str, Head],
    second: Reader | None = None,
) -> dict[str, Head]:
    """Fit what each head needs on lessons that were not learned from: weights of words, of a second reading and of a
    second reader, temperature and threshold."""
    heads: dict[str, Head] = {}
    known = [lesson for lesson in held_out if any(getattr(lesson, name) >= 0 for name in NAMES)]
    logits = session.logits([lesson.texts for lesson in known])
    for name in NAMES:
        rows = [row for row, lesson in enumerate(known) if getattr(lesson, name) >= 0]
        if rows:
            chosen = [known[row] for row in rows]
            whole = logits[name][rows]
            talks = [Talk.alternating(lesson.texts) for lesson in chosen]
            alone = views.alone(session, talks, whole) if name == views.HEAD else None
            theirs = second.log_chances(name, talks) if second and name in second.card.heads else None
            heads[name] = _head(name, Opinions(whole, alone, theirs), counted.get(name), chosen, max_tokens)
        elif name in kept:
            heads[name] = kept[name]
        elif name not in OPTIONAL:
            raise UserError(f"the validation split has no text with a target for the '{name}' head to calibrate on")
    return heads


def _head(name: str, opinions: Opinions, counted: Counts | None, chosen: Sequence[Lesson], max_tokens: int) -> Head:
    targets = np.array([getattr(lesson, name) for lesson in chosen])
    logits = opinions.whole
    weight = alone_weight = second_weight = 0.0
    if opinions.alone is not None:
        alone_weight = calibration.mixture(logits, opinions.alone, targets)
        logits = views.mixed(logits, opinions.alone, alone_weight)
    if counted:
        others = counted.logits([said_last(lesson.texts, max_tokens) for lesson in chosen])
        weight = calibration.mixture(logits, others, targets)
        logits = logits + weight * others
    if opinions.second is not None:
        second_weight = calibration.mixture(logits, opinions.second, targets)
        logits = logits + second_weight * opinions.second
    heat = calibration.temperature(logits, targets)
    confidences = normalised(logits / heat).max(axis=1)
    threshold = calibration.unsure_below(confidences, logits.argmax(axis=1) == targets)
    about = calibration.describe(logits, targets, heat, threshold)
    return Head(NAMES[name], heat, threshold, about, weight, alone_weight, second_weight)
