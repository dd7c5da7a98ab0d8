"""Choosing the candidate that the others agree with."""

import numpy as np

from hearten.dialogue import Reply
from hearten.retrieval.consensus import by_agreement, overlaps


def test_overlaps_count_words_and_pairs_both_ways() -> None:
    found = overlaps(["oh no", "oh no what", "yes"])
    # words and pairs: {oh, no, oh-no} and {oh, no, what, oh-no, no-what} share three of eight
    np.testing.assert_allclose(found[0, 1], 2 * 3 / 8)
    np.testing.assert_allclose(found, found.T)
    assert found[0, 2] == found[0, 0] == 0
    assert overlaps(["", ""]).sum() == 0


def test_what_the_others_say_too_is_given_first() -> None:
    near = [Reply("Bananas!", 0.50), Reply("I am sorry to hear that", 0.49), Reply("I am so sorry to hear it", 0.48)]
    assert by_agreement(near, 0.05)[0] in near[1:]
    assert by_agreement(near[:1], 0.05) == near[:1]


def test_far_candidates_hardly_vote() -> None:
    near = [Reply("a b", 0.9), Reply("a c", 0.88), Reply("d e", 0.1), Reply("d e", 0.1), Reply("d e", 0.1)]
    assert by_agreement(near, 0.05)[0].text in {"a b", "a c"}
