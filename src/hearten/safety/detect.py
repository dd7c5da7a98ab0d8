"""Does a message speak of a crisis? First the phrases, which always count, then the classifier."""

from collections.abc import Sequence

from hearten.safety.classifier import Classifier, shipped
from hearten.safety.fold import fold
from hearten.safety.kinds import Crisis
from hearten.safety.phrases import spoken, without_idioms

EARLIER = 4
"""How many of the person's previous messages are looked at."""


def crisis(text: str, earlier: Sequence[str] = (), classifier: Classifier | None = None) -> Crisis | None:
    """Say which crisis a message speaks of, seen with the person's previous messages (oldest first), if any.

    A phrase may begin in the message before. After a crisis the classifier needs less to see another.
    """
    plain = without_idioms(fold(text))
    found = spoken(plain)
    if found or not plain:
        return found
    before = [fold(message) for message in earlier[-EARLIER:]]
    return _continued(plain, before) or _guessed(plain, before, classifier or shipped())


def _continued(plain: str, before: Sequence[str]) -> Crisis | None:
    if not before or not before[-1]:
        return None
    opening = before[-1].split(" . ")[-1]
    return spoken(without_idioms(f"{opening} {plain}"), start=len(opening))


def _guessed(plain: str, before: Sequence[str], classifier: Classifier) -> Crisis | None:
    kind, probability = classifier.read(plain)
    card = classifier.card
    if probability < card.threshold_after:
        return None
    after = probability < card.threshold and any(spoken(without_idioms(message)) for message in before)
    return Crisis(kind, True, "classifier") if after or probability >= card.threshold else None
