"""How the agent goes about answering. Every stage can be switched off, to see what it is worth."""

from typing import Self

from pydantic import Field, model_validator

from hearten.config import Settings
from hearten.decoding import Decoding

FREE = Decoding.parse("nucleus")


class Weights(Settings):
    """What the score of a candidate is made of; chosen on validation data."""

    fit: float = Field(default=1.0, ge=0)
    """Of the match between the vectors of context and candidate, times 20 (from -20 to 20)."""
    agreement: float = Field(default=0.5, ge=0)
    """Of the mean match between the vectors of the candidate and of the others, times 20: a draft that is alone with
    what it says has more often misread."""
    likelihood: float = Field(default=0.5, ge=0)
    """Of the log probability of a token of the candidate, given the context."""
    genericness: float = Field(default=0.3, ge=0)
    """Taken off for the log probability of a token of the candidate given nothing: what would fit anywhere."""
    plan: float = Field(default=0.2, ge=0)
    """Of the log probability of the plan that a candidate was made by."""
    flaws: float = Field(default=25.0, ge=0)
    """Taken off for each flaw: a candidate that has one is said only where the others are worse."""


class Ranking(Settings):
    """How replies that others wrote are put in order; chosen on validation data."""

    shortlist: int = Field(default=0, ge=0)
    """Of the replies that fit best by their vectors, so many are looked at by the judge; 0: vectors alone."""
    likelihood: float = Field(default=0.5, ge=0)
    """Of the log probability of the whole reply, given the conversation."""
    genericness: float = Field(default=1.0, ge=0)
    """How much of its log probability given nothing is taken off that."""
    selection: float = Field(default=0.0, ge=0)
    """Of what the judge's selection head says; the generator has none."""


class Manner(Settings):
    """Which stages run, and how."""

    reads: bool = True
    """Read how the speaker feels."""
    plans: int = Field(default=3, ge=0)
    """How many of the likeliest ways to respond are tried; 0: the generator is told nothing."""
    candidates: int = Field(default=6, ge=0)
    """Replies that are generated, shared out among the plans; 0: none, retrieved ones only."""
    retrieved: int = Field(default=0, ge=0)
    """Replies that are looked up as well."""
    ranks: bool = True
    """Choose the candidate with the best score; otherwise the first one that nothing speaks against."""
    guards: bool = True
    """Meet a crisis with help instead of a generated reply, and hold back replies that could hurt."""
    decoding: Decoding = FREE
    weights: Weights = Weights()
    ranking: Ranking = Ranking()

    @model_validator(mode="after")
    def _has_candidates(self) -> Self:
        if self.candidates + self.retrieved == 0:
            raise ValueError("there would be nothing to say; set candidates or retrieved above 0")
        return self
