"""What a reader says of a text, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Evidence:
    """A word that moved the reading: where it stands, and how many log-odds the label loses without it."""

    turn: int
    start: int
    end: int
    word: str
    weight: float


@dataclass(frozen=True, slots=True)
class Reading:
    """The likeliest label, all probabilities from the likeliest down, and how far to trust them."""

    label: str
    probabilities: Mapping[str, float]
    unsure: str | None
    """Why the reading should not be relied on; None when it may be."""
    is_cut: bool
    """Only the end of the text was read."""
    evidence: tuple[Evidence, ...] = ()
    """Words from the weightiest down; empty when none was asked for."""

    @property
    def probability(self) -> float:
        """Return how likely the label is."""
        return self.probabilities[self.label]

    def table(self, top: int | None = None) -> dict[str, Any]:
        """Return the reading as JSON can hold it, with the likeliest labels only if told so."""
        likeliest = dict(list(self.probabilities.items())[:top])
        evidence = [
            {"word": one.word, "turn": one.turn, "start": one.start, "weight": one.weight} for one in self.evidence
        ]
        return {
            "label": self.label,
            "probabilities": likeliest,
            "unsure": self.unsure,
            "is_cut": self.is_cut,
            "evidence": evidence,
        }
