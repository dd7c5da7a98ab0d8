"""What may be set of the plain language model."""

from typing import Literal, Self

from pydantic import Field, model_validator

from hearten.chatml import Limits
from hearten.config import Settings
from hearten.decoding import Decoding


class Scratch(Settings):
    """A small Llama of our own, with a byte-pair vocabulary learned from the examples."""

    vocabulary: int = Field(ge=300)
    hidden: int = Field(ge=8)
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    feed_forward: int = Field(ge=8)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Of attention weights; Llama has no other."""


class LanguageSettings(Settings):
    """Exactly one of `backbone` and `scratch` says where the model comes from."""

    backbone: str | None = None
    """Name of pretrained weights: `hearten list backbones`."""
    scratch: Scratch | None = None
    start: str | None = None
    """What to go on from instead of the bare backbone: the folder of an earlier model of this kind, or `shipped` for
    the weights of the listener's generator; `shipped/FILE` for those up to one of its
    deltas."""
    max_context: int = Field(ge=8)
    """Tokens of context that the model sees."""
    keep: Literal["last", "first"] = "last"
    """Which end of a longer context is kept."""
    max_reply: int = Field(ge=4)
    """Tokens of a reply that are learned from, the end token included; scoring always sees the whole reply."""
    decoding: Decoding = Decoding()
    """How replies are made; asked for several without sampling, as many beams as replies at least."""

    @property
    def limits(self) -> Limits:
        """What of a conversation is read."""
        return Limits(self.max_context, self.max_reply, self.keep)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.backbone is None) == (self.scratch is None):
            raise ValueError("give either a backbone or a [system.scratch] table")
        return self


class PlainSettings(LanguageSettings):
    """Those of any language model here, and what is learned."""

    speaker_weight: float = Field(default=0.0, ge=0)
    """How much the loss of the speaker's words counts beside that of the replies, which counts 1. Above 0, the same
    dialogues hold more than twice as many words to learn from; replies are made and scored as before."""
