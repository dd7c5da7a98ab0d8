"""A linear emotion reader over TF-IDF n-grams: fitted with scikit-learn, stored and run with numpy alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from pydantic import Field

from hearten.config import Json, Settings
from hearten.data.tokens import ngrams, words
from hearten.dialogue import Example, joined
from hearten.errors import MissingExtra, UserError
from hearten.system import Array, Context, System, normalised
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

    def __init__(self, config: TfIdfConfig, terms: Mapping[str, int], idf: Array, weights: Array, bias: Array) -> None:
        self.config = config
        self.terms = terms
        self.idf = idf
        self.weights = weights  # (terms, 32)
        self.bias = bias

    @classmethod
    def prepare(cls, config: TfIdfConfig, examples: Sequence[Example], seed: int) -> Self:
        """Fit the classifier to the emotions of the examples."""
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise MissingExtra("fitting tfidf") from None
        texts, labels = _training_texts(config, examples)
        vectoriser = TfidfVectorizer(
            analyzer=lambda text: list(ngrams(words(text), config.longest)),
            min_df=config.min_documents,
            sublinear_tf=True,
            dtype=np.float32,
        )
        features = vectoriser.fit_transform(texts)
        model = LogisticRegression(C=config.inverse_penalty, max_iter=300).fit(features, labels)
        weights = np.zeros((features.shape[1], len(EMOTIONS)), dtype=np.float32)
        bias = np.full(len(EMOTIONS), -np.inf, dtype=np.float32)
        columns = [EMOTIONS.index(label) for label in model.classes_]
        # Of two classes scikit-learn keeps one row, the logit of the second against the first.
        first = 1 if len(columns) == 2 else 0
        weights[:, columns[first:]], bias[columns] = model.coef_.T, 0
        bias[columns[first:]] = model.intercept_
        terms = {str(term): n for n, term in enumerate(vectoriser.get_feature_names_out())}
        return cls(config, terms, vectoriser.idf_.astype(np.float32), weights, bias)

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return the probabilities of the 32 emotions for each context."""
        return np.stack([normalised(self._logits(joined(context))) for context in contexts])

    def _logits(self, text: str) -> Array:
        counts = Counter(term for term in ngrams(words(text), self.config.longest) if term in self.terms)
        if not counts:
            return self.bias
        rows = np.array([self.terms[term] for term in counts])
        weight = (1 + np.log(np.array(list(counts.values())))) * self.idf[rows]
        weight /= np.linalg.norm(weight)
        return np.asarray(weight @ self.weights[rows] + self.bias)

    def assets(self) -> dict[str, Json]:
        """Return the n-grams."""
        return {"terms.json": list(self.terms)}

    def tensors(self) -> dict[str, Array]:
        """Return the weights."""
        return {"idf": self.idf, "weights": self.weights, "bias": self.bias}

    @classmethod
    def restore(cls, config: TfIdfConfig, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Put n-grams and weights together again."""
        return cls(config, {term: n for n, term in enumerate(assets["terms.json"])}, **tensors)


def _training_texts(config: TfIdfConfig, examples: Sequence[Example]) -> tuple[list[str], list[str]]:
    """Return contexts so far with their emotions, and each situation once."""
    pairs = [(joined(e.context), e.emotion) for e in examples]
    if config.situations:
        pairs += dict.fromkeys((e.situation, e.emotion) for e in examples if e.situation)
    known = [(text, emotion) for text, emotion in pairs if emotion in EMOTIONS]
    if len({emotion for _, emotion in known}) < 2:
        raise UserError("these examples carry fewer than two emotions; train on a corpus such as empathetic_dialogues")
    return [text for text, _ in known], [str(emotion) for _, emotion in known]
