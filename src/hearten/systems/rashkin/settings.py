"""What may be set of the retrieval system."""

from typing import Literal, Self

from pydantic import Field, model_validator

from hearten.config import Settings
from hearten.dialogue import Sides


class Scratch(Settings):
    """A transformer of our own, with a byte-pair vocabulary learned from the examples."""

    vocabulary: int = Field(ge=300)
    hidden: int = Field(ge=8)
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    feed_forward: int = Field(ge=8)
    vector_epochs: int = Field(default=0, ge=0)
    """How often fastText reads the texts for the tokens' first vectors; 0: they begin at random."""
    taught_vectors: bool = False
    """Tokens begin with what the teacher makes of each by itself, cut to the `hidden` directions that differ most."""


class Prepend(Settings):
    """Labels that a fastText classifier predicts, put in front of contexts and candidates (section 4.3)."""

    labels: Literal["emotions", "topics"]
    """Emotions are learned from situations, topics from newsgroup posts."""
    k: int = Field(ge=1)
    """How many labels; the likeliest stands next to the text."""
    dimension: int = Field(default=100, ge=2)
    """Of fastText's word vectors."""
    epochs: int = Field(default=25, ge=1)
    lr: float = Field(default=0.5, gt=0)


class RashkinSettings(Settings):
    """Exactly one of `backbone` and `scratch` says where the encoders come from."""

    backbone: str | None = None
    """Name of pretrained weights: `hearten list backbones`."""
    scratch: Scratch | None = None
    start: str | None = None
    """A model folder of this system whose encoders and vocabulary are taken over, instead of the bare backbone's; or
    `shipped`, the listener's ranker, whose bytes become whole numbers again."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    shared: bool
    """One encoder for contexts and candidates, instead of one each."""
    pooling: Literal["mean", "first"]
    """A text's vector: the mean over its tokens, or the first token's."""
    normalise: bool
    """Vectors of length 1; the paper takes the raw dot product."""
    temperature: float = Field(default=1.0, gt=0)
    """What dot products are divided by in the loss."""
    symmetric: bool = False
    """Also pick the context of each reply; the paper only picks the reply to each context."""
    window: int | None = Field(default=4, ge=1)
    """Turns of context that are read; all when absent."""
    max_context: int = Field(ge=4)
    """Tokens of context, separators included."""
    keep: Literal["last", "first"] = "last"
    """Which end of a longer context is kept; the reference implementation keeps the first."""
    max_reply: int = Field(ge=4)
    """Tokens of a reply."""
    chunk: int = Field(default=0, ge=0)
    """Texts encoded at a time while learning, and encoded again for the gradient to save memory; 0: nothing twice."""
    prepend: Prepend | None = None
    teacher: str | None = None
    """The folder `encoder` in what `hearten models export` wrote of a better system, or `shipped`: which texts it finds
    alike is learned as well."""
    teacher_weight: float = Field(default=1.0, ge=0)
    pool: tuple[str, ...] = Field(min_length=1)
    """Where replies are chosen from: corpora (their training split) and text files with a reply a line."""
    pool_sides: Sides = "both"
    """Whose turns of those corpora may be given as replies."""
    consensus: int = Field(default=1, ge=1)
    """So many of the nearest candidates vote, and the one that agrees most with the others is given; 1: the nearest."""
    longest: int = Field(default=20, ge=1)
    """Candidates of more words and punctuation marks are left out of the pool."""
    screened: bool = False
    """Also leave out candidates that hold names, or words that a listener should not say."""
    exact_up_to: int = Field(default=200_000, ge=0)
    """Larger pools are searched approximately."""

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.backbone is None) == (self.scratch is None):
            raise ValueError("give either a backbone or a [system.scratch] table")
        if self.start == "shipped" and self.scratch:
            raise ValueError("system.start=shipped needs a system.backbone: the one that the shipped ranker has")
        if self.scratch and self.scratch.taught_vectors and not self.teacher:
            raise ValueError("scratch.taught_vectors needs a teacher: set system.teacher too")
        return self
