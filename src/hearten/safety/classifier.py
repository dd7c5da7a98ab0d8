"""A small linear classifier for what phrases miss, checked against its card before it is used."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from hearten.errors import UserError
from hearten.safety.features import BUCKETS, Floats, features, pieces
from hearten.safety.kinds import KINDS, Kind
from hearten.safety.linear import probabilities

WEIGHTS, CARD = "classifier.safetensors", "classifier.json"
SCHEMA = 1
MEND = "install hearten again, or fit it anew: python -m hearten.safety.fit"
CLASSES = ("none", *KINDS)


@dataclass(frozen=True, slots=True)
class Card:
    """What the classifier says of itself."""

    threshold: float
    """Probability of a crisis at which a message counts as one."""
    threshold_after: float
    """The same when one of the person's last messages was a crisis."""
    lessons: dict[str, str]
    """SHA-256 of the lessons it was fitted on."""
    held_out: list[dict[str, Any]]
    """Five-fold cross-validation on the lessons, phrases and classifier together."""
    sha256: str
    """Of the weights."""


class Classifier:
    """Says how likely a text speaks of a crisis, and of which kind."""

    def __init__(self, weights: Floats, card: Card) -> None:
        self.card = card
        self._weights = weights

    @classmethod
    def load(cls, place: Path) -> Self:
        """Load a classifier from its folder, after checking the weights."""
        card = _card(place / CARD)
        try:
            data = (place / WEIGHTS).read_bytes()
        except OSError as error:
            raise UserError(f"{place / WEIGHTS} cannot be read ({error}); {MEND}") from None
        if hashlib.sha256(data).hexdigest() != card.sha256:
            raise UserError(f"{place / WEIGHTS} is not the file that {CARD} names; {MEND}")
        try:
            weights = load(data)["weights"].astype(np.float32)
        except (SafetensorError, KeyError) as error:
            raise UserError(f"{place / WEIGHTS} is damaged ({error}); {MEND}") from None
        if weights.shape != (BUCKETS, len(CLASSES)):
            raise UserError(f"{place / WEIGHTS} has the shape {weights.shape}, which this hearten cannot use; {MEND}")
        return cls(weights, card)

    def read(self, plain: str) -> tuple[Kind, float]:
        """Return the likeliest kind of crisis, and how likely it is one at all, in the worst piece of folded text."""
        parts = pieces(plain)
        if not parts:
            return KINDS[0], 0.0
        rows = probabilities(np.stack([self._scores(part) for part in parts]))
        worst = rows[int(rows[:, 0].argmin())]
        return KINDS[int(worst[1:].argmax())], float(1 - worst[0])

    def _scores(self, part: str) -> Floats:
        filled = features(part)
        values = np.fromiter(filled.values(), dtype=np.float32, count=len(filled))
        return np.asarray(values @ self._weights[list(filled)], dtype=np.float32)


def write(place: Path, weights: Floats, **card: Any) -> None:
    """Write weights and card into a folder."""
    data = save({"weights": weights.astype(np.float16)})
    (place / WEIGHTS).write_bytes(data)
    made = Card(sha256=hashlib.sha256(data).hexdigest(), **card)
    text = json.dumps({"schema": SCHEMA, **asdict(made)}, indent=1, ensure_ascii=False)
    (place / CARD).write_text(text + "\n", encoding="utf-8")


@cache
def shipped() -> Classifier:
    """Return the classifier that comes with hearten."""
    return Classifier.load(home())


def home() -> Path:
    """Return the folder of the shipped classifier."""
    return Path(str(files("hearten.safety")))


def _card(path: Path) -> Card:
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        if table.pop("schema", None) != SCHEMA:
            raise UserError(f"{path} has another schema than {SCHEMA}; {MEND}")
        return Card(**table)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{path} cannot be read ({error}); {MEND}") from None
