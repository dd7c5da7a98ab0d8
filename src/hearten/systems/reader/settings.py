"""What may be set of the reader."""

from typing import Literal, Self

from pydantic import Field, model_validator

from hearten.config import Settings


class Scratch(Settings):
    """A small BERT of our own, with a WordPiece vocabulary learned from the examples."""

    vocabulary: int = Field(ge=100)
    hidden: int = Field(ge=8)
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    feed_forward: int = Field(ge=8)


class ReaderSettings(Settings):
    """Exactly one of `backbone` and `scratch` says where the encoder comes from."""

    backbone: str | None = None
    """Name of a pretrained encoder: `hearten list backbones`."""
    scratch: Scratch | None = None
    max_tokens: int = Field(ge=8)
    """Tokens that are read, counted from the end of the conversation."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Of the pooled vector; the encoder has its own."""
    head_rate: float = Field(default=10.0, gt=0)
    """How many times faster the heads learn than the encoder, which has learned before."""
    smoothing: float = Field(default=0.1, ge=0, lt=1)
    """Label smoothing while learning; validation losses are measured without."""
    emotion_weight: float = Field(default=1.0, ge=0)
    label_weight: float = Field(default=1.0, ge=0)
    plan_weight: float = Field(default=0.3, ge=0)
    """Of the label that the next reply will have; people differ in how they reply, so that it is a weak target."""
    plans: str | None = None
    """A folder of an exported reader (or `shipped`) that labels replies which their corpus does not; else unlabelled
    replies are no targets of the plan."""
    situations: bool = True
    """Learn the emotion from each situation too, and not from conversations alone."""
    situations_as_labels: bool = False
    """Give situations, labelled with their emotion, to the 41-way head too; off where its corpus has them already."""
    scales: Literal["tensor", "block"] = "tensor"
    """How the bytes of the exported model are scaled (`nn/eight_bits.py`): `tensor` is faster, `block` more exact."""
    start: str | None = None
    """A model folder of a reader to go on from, instead of the bare backbone; or `shipped`, whose bytes become whole
    numbers again."""
    teacher: str | None = None
    """A model folder of a reader whose probabilities are learned from as well."""
    views: bool = False
    """Also learn what the teacher says of texts that nobody labelled: single turns, and the speaker's turns alone."""
    distil_weight: float = Field(default=1.0, ge=0)
    distil_temperature: float = Field(default=2.0, gt=0)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.backbone is None) == (self.scratch is None):
            raise ValueError("give either a backbone or a [system.scratch] table")
        if self.start == "shipped" and self.scratch:
            raise ValueError("system.start=shipped needs a system.backbone: the one that the shipped reader has")
        if self.views and not self.teacher:
            raise ValueError("views are labelled by a teacher: set system.teacher too")
        return self
