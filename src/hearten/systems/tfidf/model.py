"""A linear emotion reader over TF-IDF n-grams: fitted with scikit-learn, stored and run with numpy alone."""

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field

from hearten.config import Json, Settings
from hearten.data.tokens import words
from hearten.dialogue import Example, joined
from hearten.errors import UserError
from hearten.reader.counts import PARTS, Counts
from hearten.system import Array, Context, System, normalised
from hearten.systems.tfidf.fit import fit
from hearten.taxonomy import EMOTIONS


class TfIdfConfig(Settings):
    """What the reader may be told."""

    longest: int = Field(ge=1)
    """Longest n-gram, in words."""
    min_documents: int = Field(ge=1)
    """Leave out n-grams that occur in fewer texts."""
    inverse_penalty: float = Field(gt=0)
    """Inverse strength of the L2 penalty (scikit-learn's C)."""
    situations: bool
    """Learn from the situations, too, beside the contexts so far."""


class TfIdf(System):
    """Reads emotions by counting words."""

    Config = TfIdfConfig

    def __init__(self, config: TfIdfConfig, counts: Counts) -> None:
        self.config, self.counts = config, counts

    @classmethod
    def prepare(cls, config: TfIdfConfig, examples: Sequence[Example], seed: int) -> Self:
        """Fit the classifier to the emotions of the examples."""
        texts, labels = _training_texts(config, examples)
        told = [words(text) for text in texts]
        return cls(config, fit(told, labels, EMOTIONS, config.longest, config.min_documents, config.inverse_penalty))

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return the probabilities of the 32 emotions for each context."""
        return normalised(self.counts.logits([words(joined(context)) for context in contexts]))

    def assets(self) -> dict[str, Json]:
        """Return the n-grams."""
        return {"terms.json": list(self.counts.terms)}

    def tensors(self) -> dict[str, Array]:
        """Return the weights."""
        return {part: getattr(self.counts, part) for part in PARTS}

    @classmethod
    def restore(cls, config: TfIdfConfig, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Put n-grams and weights together again."""
        return cls(config, Counts({term: n for n, term in enumerate(assets["terms.json"])}, **tensors))


def _training_texts(config: TfIdfConfig, examples: Sequence[Example]) -> tuple[list[str], list[str]]:
    """Return contexts so far with their emotions, and each situation once."""
    pairs = [(joined(e.context), e.emotion) for e in examples]
    if config.situations:
        pairs += dict.fromkeys((e.situation, e.emotion) for e in examples if e.situation)
    known = [(text, emotion) for text, emotion in pairs if emotion in EMOTIONS]
    if len({emotion for _, emotion in known}) < 2:
        raise UserError("these examples carry fewer than two emotions; train on a corpus such as empathetic_dialogues")
    return [text for text, _ in known], [str(emotion) for _, emotion in known]
