"""How replies are made from a language model: the settings alone, for engines with and without torch.

The algorithms for torch are in `hearten.nn.decoding`.
"""

from typing import Self

from pydantic import Field, model_validator

from hearten.config import Settings, override, validate
from hearten.errors import UserError

SAMPLING = ("temperature", "top_k", "top_p", "min_p")
SEARCHING = ("beams", "groups", "diversity", "length_penalty")
NAMED = {
    "greedy": "",
    "beam": "beams=5,no_repeat_ngram=3",
    "diverse": "beams=6,groups=3,diversity=0.5,no_repeat_ngram=3",
    "nucleus": "sample=true,top_p=0.9,temperature=0.8",
}
"""Decodings for dialogue that have a name. Blocking trigrams keeps beams from going round in circles."""


class Decoding(Settings):
    """The likeliest token each time, unless beams or sampling are asked for."""

    max_tokens: int = Field(default=60, ge=1)
    """Tokens of a reply at the most, the end token included."""
    min_tokens: int = Field(default=1, ge=0)
    """Tokens before the end token may come; an end at once would be no reply."""
    beams: int = Field(default=1, ge=1)
    """Hypotheses that are followed side by side."""
    groups: int = Field(default=1, ge=1)
    """Groups of beams that keep away from each other (Vijayakumar et al. 2016)."""
    diversity: float = Field(default=0.0, ge=0)
    """What a token costs for each beam of an earlier group that takes it at the same place."""
    length_penalty: float = 1.0
    """Beams are ranked by log probability / length ** length_penalty: above 0 favours long replies, below 0 short."""
    no_repeat_ngram: int = Field(default=0, ge=0)
    """No so many tokens in a row occur twice in a reply; 0: no such rule."""
    sample: bool = False
    temperature: float = Field(default=1.0, gt=0)
    top_k: int = Field(default=0, ge=0)
    """Sample from the so many likeliest tokens; 0: from all."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Sample from the fewest tokens that have this probability together (Holtzman et al. 2020)."""
    min_p: float = Field(default=0.0, ge=0, le=1)
    """Sample from tokens at least this times as probable as the likeliest (Nguyen et al. 2024)."""
    repetition_penalty: float = Field(default=1.0, gt=0)
    """Divides the logits of tokens that the reply already has (Keskar et al. 2019)."""

    @model_validator(mode="after")
    def _nothing_is_set_in_vain(self) -> Self:
        if self.sample and (vain := self._changed(SEARCHING)):
            raise ValueError(f"{vain} means nothing while sampling; leave it out, or set sample = false")
        if not self.sample and (vain := self._changed(SAMPLING)):
            raise ValueError(f"{vain} means nothing without sampling; leave it out, or set sample = true")
        if self.beams == 1 and (vain := self._changed(SEARCHING)):
            raise ValueError(f"{vain} means nothing with one beam; leave it out, or set beams = 4")
        return self

    @model_validator(mode="after")
    def _numbers_fit_together(self) -> Self:
        if self.min_tokens > self.max_tokens:
            raise ValueError(f"min_tokens = {self.min_tokens} is more than max_tokens = {self.max_tokens}")
        if self.beams % self.groups:
            raise ValueError(f"{self.beams} beams do not make {self.groups} equal groups; choose beams as a multiple")
        if (self.groups > 1) != (self.diversity > 0):
            raise ValueError(
                "groups and diversity need each other; set e.g. groups = 3 and diversity = 0.5, or neither"
            )
        return self

    def _changed(self, names: tuple[str, ...]) -> str:
        fields = type(self).model_fields
        return " and ".join(name for name in names if getattr(self, name) != fields[name].default)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `nucleus`, `beams=4,no_repeat_ngram=3`, or a name and changes to it: `nucleus,top_p=0.8`."""
        first, _, rest = text.partition(",")
        name, changes = (None, text) if "=" in first else (first.strip(), rest)
        if name is not None and name not in NAMED:
            known = ", ".join(NAMED)
            raise UserError(f"there is no decoding '{name}'; choose from {known}, or write e.g. beams=4,min_tokens=5")
        assignments = [part for part in f"{NAMED.get(name or '', '')},{changes}".split(",") if part.strip()]
        return validate(cls, override({}, assignments), f"the decoding '{text}'")
