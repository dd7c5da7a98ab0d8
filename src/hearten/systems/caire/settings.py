"""What may be set of CAiRE."""

from typing import Literal, Self

from pydantic import Field, model_validator

from hearten.config import Settings
from hearten.decoding import Decoding


class Scratch(Settings):
    """A small language model of our own, with a byte-pair vocabulary learned from the examples."""

    architecture: Literal["llama", "gpt2", "openai-gpt"] = "llama"
    """Whose layers: Llama has rotary positions, the others learn an embedding for each position."""
    vocabulary: int = Field(ge=300)
    hidden: int = Field(ge=8)
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    positions: int = Field(ge=32)


class CaireSettings(Settings):
    """Exactly one of `backbone` and `scratch` says where the language model comes from."""

    backbone: str | None = None
    """Name of pretrained weights: `hearten list backbones`."""
    scratch: Scratch | None = None
    start: str | None = None
    """What to go on from instead of the bare backbone: the folder of an earlier model of this system, of a plainlm or
    plannedlm, or `shipped` for the weights of the listener's generator; `shipped/FILE` for
    those up to one of its deltas."""
    persona: tuple[str, ...] = Field(min_length=1)
    """Who the listener is, in sentences of the first person; used wherever a dialogue brings no persona of its own."""
    window: int | None = Field(default=None, ge=1)
    """Turns of history that are read; all when absent."""
    max_context: int = Field(ge=16)
    """Tokens of persona and history; the persona takes half of them at the most, the newest turns the rest."""
    max_reply: int = Field(ge=4)
    """Tokens of a reply that are learned from, without its end; scoring always sees the whole reply."""
    reply_weight: float = Field(gt=0)
    """Alpha: how much the language model's loss weighs against those of selection and emotion, which weigh 1."""
    distractor_share: float = Field(default=1.0, gt=0, le=1)
    """Share of the examples that come with a distractor; each costs about as much as its example once more."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Of the states that the two classifiers read; the language model keeps its own."""
    decoding: Decoding = Decoding()

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.backbone is None) == (self.scratch is None):
            raise ValueError("give either a backbone or a [system.scratch] table")
        return self
