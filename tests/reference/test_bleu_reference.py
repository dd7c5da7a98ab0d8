"""BLEU against sacreBLEU, NLTK and cases worked out by hand."""

import random

import numpy as np
import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics import BLEU

from hearten.evaluation.metrics.bleu import corpus_bleu, fairseq, parlai, sacre
from hearten.evaluation.sampling import Additive
from hearten.evaluation.words import bare, spaced

WORDS = ["I", "am", "so", "sorry", "to", "hear", "that", ".", "!", "?", "it's", "what", "a", "the", "luck,", "you"]


def texts(seed: int, shortest: int = 0, longest: int = 14) -> list[str]:
    """Invent replies."""
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(shortest, longest))) for _ in range(300)]


def named(measurement: Additive) -> dict[str, float]:
    return {m.name: float(v) for m, v in zip(measurement.measures, measurement.values(), strict=True)}


@pytest.mark.parametrize("seed", range(4))
def test_corpus_bleu_agrees_with_sacrebleu_on_the_same_tokens(seed: int) -> None:
    ours, gold = texts(seed), texts(seed + 100, shortest=1)
    found = named(fairseq(ours, gold))
    tokens = [" ".join(spaced(text)) for text in ours]
    golds = [" ".join(spaced(text)) for text in gold]
    for order in (1, 2, 3, 4):
        theirs = BLEU(tokenize="none", smooth_method="none", max_ngram_order=order).corpus_score(tokens, [golds])
        assert found[f"BLEU-{order}"] == pytest.approx(theirs.score, abs=1e-9)
    assert found["AVG BLEU"] == pytest.approx(np.mean([found[f"BLEU-{n}"] for n in (1, 2, 3, 4)]))


def test_corpus_bleu_by_hand() -> None:
    # reply: the cat the cat on the mat (7); gold: the cat is on the mat (6). Clipped matches, worked out on paper:
    # 1-grams the x2, cat, on, mat = 5 of 7; 2-grams the-cat, on-the, the-mat = 3 of 6; 3-grams on-the-mat = 1 of 5;
    # 4-grams 0 of 4. Longer than the gold reply, so no penalty.
    found = named(fairseq(["the cat the cat on the mat"], ["the cat is on the mat"]))
    assert found["BLEU-1"] == pytest.approx(100 * 5 / 7)
    assert found["BLEU-2"] == pytest.approx(100 * (5 / 7 * 3 / 6) ** (1 / 2))
    assert found["BLEU-3"] == pytest.approx(100 * (5 / 7 * 3 / 6 * 1 / 5) ** (1 / 3))
    assert found["BLEU-4"] == 0


def test_short_replies_are_penalised_over_the_corpus_not_one_by_one() -> None:
    # 2 + 6 words against 4 + 4: as long together, so no penalty, though the first is short.
    found = named(fairseq(["a b", "a b c d e f"], ["a b c d", "a b c d"]))
    assert found["BLEU-1"] == pytest.approx(100 * 6 / 8)
    # 3 words against 6: exp(1 - 6/3).
    assert named(fairseq(["a b c"], ["a b c d e f"]))["BLEU-1"] == pytest.approx(100 * np.exp(-1))


def test_case_is_kept_and_marks_stand_alone() -> None:
    # The marks of EmpatheticDialogues' tokens.py: . , ; : ! ' ?
    assert spaced("It's OK, really...No?! a;b:c (d)") == (
        ["It", "'", "s", "OK", ",", "really", ".", ".", ".", "No", "?", "!", "a", ";", "b", ":", "c", "(d)"]
    )
    assert named(fairseq(["Yes"], ["yes"]))["BLEU-1"] == 0


def test_only_empty_replies_score_nothing() -> None:
    assert list(fairseq(["", ""], ["a b", "c"]).values()) == [0] * 5
    assert list(sacre(["", ""], ["a b", "c"]).values()) == [0]


@pytest.mark.parametrize(("shortest", "longest"), [(0, 14), (0, 3), (1, 1), (5, 30)])
def test_sacrebleu_value_and_signature_are_its_own(shortest: int, longest: int) -> None:
    ours, gold = texts(7, shortest, longest), texts(8, shortest=1)
    measurement = sacre(ours, gold)
    official = BLEU()
    assert named(measurement)["sacreBLEU"] == pytest.approx(official.corpus_score(ours, [gold]).score, abs=1e-9)
    assert measurement.measures[0].signature == f"sacrebleu|{official.get_signature()}"


def test_exponential_smoothing_halves_at_each_order_without_a_match() -> None:
    official = BLEU().corpus_score(["one two three four five"], [["two one four three six"]])
    assert named(sacre(["one two three four five"], ["two one four three six"]))["sacreBLEU"] == pytest.approx(
        official.score
    )


def test_parlai_bleu_is_nltks_mean_over_normalised_replies() -> None:
    # parlai/core/metrics.py: BleuMetric.compute and normalize_answer; an empty text splits into one empty word.
    ours, gold = texts(3), texts(4)
    smooth = SmoothingFunction(epsilon=1e-12).method1
    each = [
        sentence_bleu([" ".join(bare(g)).split(" ")], " ".join(bare(t)).split(" "), smoothing_function=smooth)
        for t, g in zip(ours, gold, strict=True)
    ]
    assert named(parlai(ours, gold))["ParlAI BLEU"] == pytest.approx(100 * np.mean(each))


def test_normalising_drops_case_punctuation_and_articles() -> None:
    assert bare('The well-known "cat\'s" an_apple, a Theatre!') == ["well", "known", "cat", "s", "apple", "theatre"]


def test_the_three_kinds_disagree_on_the_same_replies() -> None:
    ours, gold = texts(1), texts(2, shortest=1)
    values = {named(fairseq(ours, gold))["AVG BLEU"], named(sacre(ours, gold))["sacreBLEU"]}
    values.add(named(parlai(ours, gold))["ParlAI BLEU"])
    assert len({round(value, 1) for value in values}) == 3


def test_many_sums_are_aggregated_at_once() -> None:
    measurement = fairseq(texts(1), texts(2))
    sums = np.stack([measurement.statistics.sum(axis=0), 2 * measurement.statistics[:50].sum(axis=0)])
    together = measurement.aggregate(sums)
    assert together[0] == pytest.approx(measurement.aggregate(sums[0]))
    assert together[1] == pytest.approx(measurement.aggregate(sums[1]))
    assert corpus_bleu(sums, np.ones((2, 4))).shape == (2, 4)
