"""An Okapi BM25 index in numpy: postings by term, with the weight of each posting worked out beforehand.

Ours because candidates that are not in the index must be scored with the index's own statistics (P@1,100), which the
usual packages do not offer, and because the light install should not need more than numpy.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hearten.data.tokens import words
from hearten.system import Array


@dataclass(frozen=True)
class Index:
    """Documents that can be searched by words. Term `t` owns the postings `starts[t]:starts[t + 1]`."""

    terms: Mapping[str, int]
    idf: Array
    starts: Array
    documents: Array
    weights: Array
    size: int
    mean_length: float
    k1: float
    b: float

    @classmethod
    def build(cls, texts: Sequence[str], k1: float, b: float) -> "Index":
        """Index texts in order."""
        counted = [Counter(words(text)) for text in texts]
        terms = {term: n for n, term in enumerate(sorted({term for counts in counted for term in counts}))}
        lengths = np.array([counts.total() for counts in counted], dtype=np.float64)
        rows = [(terms[t], d, tf) for d, counts in enumerate(counted) for t, tf in counts.items()]
        term, document, tf = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T
        frequency = np.bincount(term, minlength=len(terms))
        idf = np.log1p((len(texts) - frequency + 0.5) / (frequency + 0.5))
        mean = float(lengths.mean()) if len(texts) else 1.0
        return cls(
            terms=terms,
            idf=idf.astype(np.float32),
            starts=np.concatenate([[0], np.cumsum(frequency)]).astype(np.int64),
            documents=document.astype(np.int32),
            weights=(idf[term] * _saturated(tf, lengths[document], mean, k1, b)).astype(np.float32),
            size=len(texts),
            mean_length=mean,
            k1=k1,
            b=b,
        )

    def scores(self, query: str) -> Array:
        """Return the BM25 score of every document."""
        found = np.zeros(self.size, dtype=np.float32)
        for word in set(words(query)):
            term = self.terms.get(word)
            if term is not None:
                postings = slice(self.starts[term], self.starts[term + 1])
                found[self.documents[postings]] += self.weights[postings]
        return found

    def outside_scores(self, queries: Sequence[str], texts: Sequence[str]) -> Array:
        """Score texts that are not in the index, with its statistics. Shape (queries, texts)."""
        counted = [Counter(word for word in words(text) if word in self.terms) for text in texts]
        lengths = np.array([[len(words(text))] for text in texts], dtype=np.float64)
        columns = {word: n for n, word in enumerate(sorted({word for counts in counted for word in counts}))}
        tf = np.zeros((len(texts), len(columns)))
        for row, counts in enumerate(counted):
            tf[row, [columns[word] for word in counts]] = list(counts.values())
        asked = np.zeros((len(queries), len(columns)))
        for row, query in enumerate(queries):
            asked[row, [columns[word] for word in set(words(query)) if word in columns]] = 1
        idf = self.idf[[self.terms[word] for word in columns]]
        weights = idf * _saturated(tf, lengths, self.mean_length, self.k1, self.b)
        return np.asarray(asked @ weights.T)


def _saturated(tf: Array, length: Array, mean: float, k1: float, b: float) -> Array:
    """Return how much a term counts that occurs `tf` times in a document (Robertson and Zaragoza 2009, eq. 3.15)."""
    return np.asarray(tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean)))
