"""The candidate index: exact and approximate search, growth, and what is stored."""

import numpy as np
import pytest

from hearten.errors import UserError
from hearten.retrieval.graph import Graph
from hearten.retrieval.index import BLOCK, Index, exact
from hearten.system import Array


def clustered(count: int, seed: int = 0) -> Array:
    """Unit vectors around a few dozen centres, as sentences lie around topics."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((40, 32))
    vectors = centres[random.integers(40, size=count)] + 0.6 * random.standard_normal((count, 32))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def test_exact_search_finds_what_sorting_finds_across_blocks() -> None:
    vectors, queries = clustered(BLOCK + 500), clustered(5, seed=1)
    found = exact(vectors, queries, 7)
    scores = queries @ vectors.T
    np.testing.assert_array_equal(found.rows, np.argsort(-scores, axis=1, kind="stable")[:, :7])
    np.testing.assert_allclose(found.scores, -np.sort(-scores, axis=1)[:, :7], rtol=1e-5)


def test_of_equal_candidates_the_first_comes_first() -> None:
    index = Index(np.ones((4, 3)), exact_up_to=10)
    assert index.search(np.ones((1, 3)), 4).rows.tolist() == [[0, 1, 2, 3]]


def test_asking_for_more_than_there_is_gives_all() -> None:
    assert Index(clustered(3), exact_up_to=10).search(clustered(2, seed=1), 9).rows.shape == (2, 3)


def test_the_graph_finds_nearly_all_of_the_ten_nearest() -> None:
    vectors, queries = clustered(3000), clustered(40, seed=1)
    index = Index(vectors, exact_up_to=0)
    assert not index.is_exact
    found, truth = index.search(queries, 10), exact(index.vectors, queries, 10)
    hits = [len(set(row) & set(right)) for row, right in zip(found.rows, truth.rows, strict=True)]
    assert np.mean(hits) / 10 >= 0.99


def test_what_the_graph_finds_is_scored_by_the_vectors_themselves() -> None:
    index = Index(clustered(500), exact_up_to=0)
    queries = clustered(3, seed=1)
    found = index.search(queries, 4)
    expected = np.take_along_axis(queries @ index.vectors.astype(np.float32).T, found.rows, axis=1)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-5)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_the_graph_ranks_vectors_of_any_length() -> None:
    vectors, queries = 40 * clustered(800), 0.01 * clustered(20, seed=1)
    found = Index(vectors, exact_up_to=0).search(queries, 1).rows
    assert np.mean(found == exact(vectors, queries, 1).rows) >= 0.95


@pytest.mark.parametrize("exact_up_to", [0, 10_000])
def test_a_candidate_that_was_added_is_found(exact_up_to: int) -> None:
    index = Index(clustered(300), exact_up_to)
    index.search(clustered(1), 1)
    fresh = clustered(5, seed=7)
    index.add(fresh)
    assert len(index) == 305
    assert index.search(fresh, 1).rows.ravel().tolist() == [300, 301, 302, 303, 304]


def test_vectors_of_another_model_are_refused() -> None:
    with pytest.raises(UserError, match="16 parts"):
        Index(clustered(3), 10).add(np.ones((1, 16)))


def test_a_stored_graph_answers_the_same_and_can_still_grow() -> None:
    index = Index(clustered(400), exact_up_to=0)
    queries = clustered(6, seed=1)
    before = index.search(queries, 5)
    again = Index.restore(index.stored(), exact_up_to=0)
    np.testing.assert_array_equal(again.search(queries, 5).rows, before.rows)
    np.testing.assert_array_equal(again.stored()["graph"], index.stored()["graph"])
    again.add(queries)
    assert again.search(queries, 1).rows.ravel().tolist() == list(range(400, 406))


def test_a_small_pool_stores_no_graph() -> None:
    assert set(Index(clustered(5), exact_up_to=5).stored()) == {"vectors"}
    assert set(Index(clustered(6), exact_up_to=5).stored()) == {"vectors", "graph", "scale"}


def test_a_shortlist_says_where_it_found_nothing() -> None:
    assert Graph.build(clustered(3)).shortlist(clustered(1), 5)[0].tolist().count(-1) == 2
