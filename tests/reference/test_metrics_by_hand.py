"""Metrics against cases that were worked out by hand; the arithmetic stands beside each."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from hearten.dialogue import Example, Turn
from hearten.evaluation.gather import CHUNK, first_place, gather
from hearten.evaluation.metric import Metric, NotMeasurable
from hearten.evaluation.metrics import distinct, genericness, perplexity, precision_at_one, ses, surface
from hearten.evaluation.records import Prediction
from hearten.system import Array, Context


def case(number: int, gold: str = "gold", context: str = "hm") -> Example:
    return Example(f"c{number}#2", (Turn("speaker", context),), Turn("listener", gold))


def values(metric: Metric, predictions: list[Prediction], gold: list[Example]) -> dict[str, float]:
    return {
        measure.name: float(value)
        for measurement in metric.measure(predictions, gold)
        for measure, value in zip(measurement.measures, measurement.values(), strict=True)
    }


def of_replies(metric: Metric, *texts: str, gold: list[Example] | None = None) -> dict[str, float]:
    cases = gold or [case(n) for n in range(len(texts))]
    return values(metric, [Prediction(c.id, t) for c, t in zip(cases, texts, strict=True)], cases)


def test_perplexity_in_its_five_forms() -> None:
    # Reply one: 6 nats, 3 tokens, 2 words, 5 characters. Reply two: 1 nat, 1 token, 1 word, 3 characters.
    gold = [case(0, "a bcd"), case(1, "abc")]
    predictions = [Prediction("", log_likelihood=-6.0, tokens=3), Prediction("", log_likelihood=-1.0, tokens=1)]
    found = values(perplexity.PLUGIN, predictions, gold)
    assert found == pytest.approx(
        {
            "perplexity": math.exp(7 / 4),
            "perplexity (reply means)": math.exp((2 + 1) / 2),
            "perplexity (mean of replies)": (math.exp(2) + math.exp(1)) / 2,
            "perplexity per word": math.exp(7 / 3),
            "bits per character": 7 / math.log(2) / 8,
        }
    )


def test_a_likelihood_without_a_token_count_gives_no_perplexity() -> None:
    with pytest.raises(NotMeasurable, match="token count"):
        values(perplexity.PLUGIN, [Prediction("", log_likelihood=-6.0)], [case(0)])


def test_distinct_counts_over_all_replies() -> None:
    # Tokens: oh no ! | oh no , no are 7, of which oh no ! , are different: 4.
    # Pairs: oh-no no-! | oh-no no-, ,-no are 5, of which 4 are different.
    found = of_replies(distinct.PLUGIN, "Oh no!", "oh no, no")
    assert found == pytest.approx(
        {"distinct-1": 400 / 7, "distinct-2": 80, "tokens in replies": 7, "words in replies": 5}
    )


def test_a_word_keeps_its_apostrophe() -> None:
    assert of_replies(distinct.PLUGIN, "don't don't")["tokens in replies"] == 2


def test_genericness_of_stock_replies() -> None:
    # 19 different ones once, "Oh" and " oh " are one stock reply four times, and 5 more once: 28 replies, 25 different.
    # The 20 most frequent: 4 + 19 = 23.
    found = of_replies(genericness.PLUGIN, *(f"reply {n}" for n in range(24)), "Oh", "oh", " oh ", "OH")
    assert found == pytest.approx({"top-20 share": 100 * 23 / 28, "different replies": 100 * 25 / 28})


def test_surface_of_replies() -> None:
    # 6 and 5 words. The first says "so sad so" twice, the second repeats no three words.
    # Four-word runs: 3 in the first, none copied; 2 in the second, of which "my dog ran away" is in the context.
    gold = [case(0), case(1, context="Yesterday my dog ran away")]
    found = of_replies(surface.PLUGIN, "so sad so sad so sad", "My dog ran away too", gold=gold)
    assert found == pytest.approx({"reply length": 5.5, "repetition": 50, "copy rate": 20})


def test_a_run_of_words_across_two_turns_is_not_copied() -> None:
    example = Example("c#3", (Turn("speaker", "my dog"), Turn("listener", "ran away")), Turn("listener", "oh"))
    assert of_replies(surface.PLUGIN, "my dog ran away", gold=[example])["copy rate"] == 0


def test_similarity_is_the_mean_cosine() -> None:
    vectors = {"up": [0.0, 1.0], "right": [1.0, 0.0], "between": [math.sqrt(0.5)] * 2}
    metric = ses.SentenceSimilarity("toy", lambda texts: np.array([vectors[text] for text in texts]))
    gold = [case(0, "up"), case(1, "up"), case(2, "right")]
    found = of_replies(metric, "up", "right", "between", gold=gold)
    assert found["SES"] == pytest.approx((1 + 0 + math.sqrt(0.5)) / 3)
    (measurement,) = metric.measure([Prediction("", "up")], gold[:1])
    assert "encoder:toy" in measurement.measures[0].signature


def test_ties_for_the_first_place_are_shared() -> None:
    scores = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 1.0], [4.0, 0.0, 3.0]])
    assert first_place(scores) == [1.0, 0.5, 0.0]
    assert first_place(np.zeros((4, 4))) == [0.25] * 4


class Numbers:
    """Ranks the gold reply first where the number in the context is even, and last where it is odd."""

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        assert len(contexts) == len(candidates) == CHUNK
        rows = [int(context[-1].text) for context in contexts]
        return np.array([[float((row % 2 == 0) == (row == int(text))) for text in candidates] for row in rows])


def test_precision_at_one_drops_the_last_chunk_and_averages_the_shuffles() -> None:
    # In order: numbers 0..199 are ranked, half of them are even; 200..258 are left over.
    gold = [case(n, str(n), str(n)) for n in range(259)]
    predictions = gather(Numbers(), gold, {"ranks"}, seed=1)
    hits = np.array([[np.nan if h is None else h for h in p.hits or ()] for p in predictions])
    assert hits.shape == (259, 6)
    assert np.isnan(hits).sum(axis=0).tolist() == [59] * 6
    assert np.isnan(hits[200:, 0]).all() and not np.isnan(hits[200:, 1]).all()
    assert len({tuple(np.isnan(column)) for column in hits.T}) == 6  # every shuffle is another one
    found = values(precision_at_one.PLUGIN, predictions, gold)
    assert found["P@1,100 (corpus order)"] == 50
    assert found["P@1,100"] == pytest.approx(100 * np.nanmean(hits[:, 1:], axis=0).mean())


def test_the_order_of_the_corpus_may_be_left_out_and_changes_nothing_else() -> None:
    gold = [case(n, str(n), str(n)) for n in range(259)]
    both, one = (gather(Numbers(), gold, {"ranks"}, seed=1, shuffles=1, corpus_order=way) for way in (True, False))
    without = values(precision_at_one.PLUGIN, one, gold)
    assert set(without) == {"P@1,100"}
    assert without["P@1,100"] == values(precision_at_one.PLUGIN, both, gold)["P@1,100"]
