"""Fitting a linear classifier over n-grams, with scikit-learn."""

from collections.abc import Sequence

import numpy as np

from hearten.data.tokens import ngrams
from hearten.errors import MissingExtra
from hearten.reader.counts import Counts

NEVER = -1000.0
"""The logit of a label that no text has: its probability is nothing, and sums with it stay finite."""


def fit(
    texts: Sequence[list[str]],
    labels: Sequence[str],
    names: Sequence[str],
    longest: int,
    min_documents: int,
    inverse_penalty: float,
) -> Counts:
    """Learn to tell the labels of texts, given as their words; `names` says in which order labels are told."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtra("counting words") from None
    vectoriser = TfidfVectorizer(
        analyzer=lambda text: list(ngrams(text, longest)), min_df=min_documents, sublinear_tf=True, dtype=np.float32
    )
    features = vectoriser.fit_transform(texts)
    model = LogisticRegression(C=inverse_penalty, max_iter=300).fit(features, labels)
    weights = np.zeros((features.shape[1], len(names)), dtype=np.float32)
    bias = np.full(len(names), NEVER, dtype=np.float32)
    columns = [names.index(label) for label in model.classes_]
    # Of two classes scikit-learn keeps one row, the logit of the second against the first.
    first = 1 if len(columns) == 2 else 0
    weights[:, columns[first:]], bias[columns] = model.coef_.T, 0
    bias[columns[first:]] = model.intercept_
    terms = {str(term): n for n, term in enumerate(vectoriser.get_feature_names_out())}
    return Counts(terms, vectoriser.idf_.astype(np.float32), weights, bias, np.ones(len(names), dtype=np.float32))
