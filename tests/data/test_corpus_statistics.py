"""Counts, typical words and their plots."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.colors import to_hex

from hearten.data import plots
from hearten.data.corpus import Problems
from hearten.data.statistics import CorpusStatistics, corpus_statistics, count_dialogues, count_texts
from hearten.data.words import content_words, top_words, typicality
from hearten.dialogue import Dialogue, Labelled, Turn
from hearten.taxonomy import BY_NAME


def test_dialogues_are_counted() -> None:
    first = Dialogue("a", (Turn("speaker", "one two three"), Turn("listener", "four", "wishing")), emotion="sad")
    second = Dialogue("b", (Turn("listener", "one two"),), emotion="sad")
    figures = count_dialogues([first, second])
    assert (figures.items, figures.utterances, figures.replies, figures.words) == (2, 3, 1, 6)
    assert (figures.utterances_per_item, figures.words_per_utterance) == (1.5, 2.0)
    assert (figures.labels, figures.turn_labels, figures.lengths) == ({"sad": 2}, {"wishing": 1}, {1: 1, 2: 1, 3: 1})


def test_texts_are_counted() -> None:
    figures = count_texts([Labelled("1", "a b", "x"), Labelled("2", "c", "y"), Labelled("3", "d", "y")])
    assert (figures.items, figures.words, figures.labels) == (3, 4, {"y": 2, "x": 1})


def test_nothing_has_means_of_zero() -> None:
    assert (count_dialogues([]).utterances_per_item, count_texts([]).words_per_utterance) == (0.0, 0.0)


def test_function_words_are_no_content() -> None:
    assert content_words("I don\u2019t like the Storm, it's LOUD") == ["storm", "loud"]


def test_typicality_follows_the_formula() -> None:
    # 10 of 100 words here, 15 of 1000 anywhere; prior 1000 words, of which 15 are this one.
    here, elsewhere = 25.0, 20.0
    difference = math.log(here / (1100 - here)) - math.log(elsewhere / (1900 - elsewhere))
    assert typicality(10, 100, 15, 1000) == pytest.approx(difference / math.sqrt(1 / here + 1 / elsewhere))


def test_words_that_every_label_uses_are_typical_of_none() -> None:
    texts = [("sad", "rain today")] * 6 + [("joyful", "sun today")] * 6
    assert top_words(texts) == {"joyful": ["sun"], "sad": ["rain"]}


def test_words_too_rare_to_tell_are_left_out() -> None:
    assert top_words([("sad", "rain drizzle")] * 4 + [("sad", "rain")] + [("joyful", "sun")] * 6)["sad"] == ["rain"]


@pytest.fixture(scope="module")
def sample() -> CorpusStatistics:
    return corpus_statistics("sample", Problems(strict=True))


def test_a_corpus_is_counted_split_by_split(sample: CorpusStatistics) -> None:
    assert [(split, figures.items) for split, figures in sample.splits.items()] == [
        ("train", 288),
        ("valid", 32),
        ("test", 64),
    ]
    assert "scared" in sample.top_words["afraid"]


def test_json_holds_the_means(sample: CorpusStatistics) -> None:
    train = sample.as_json()["splits"]["train"]
    assert train["utterances_per_item"] == pytest.approx(train["utterances"] / train["items"], abs=1e-3)
    assert train["words_per_utterance"] == pytest.approx(train["words"] / train["utterances"], abs=1e-3)


def test_plots_are_written_twice_each(sample: CorpusStatistics, tmp_path: Path) -> None:
    paths = plots.write_plots(sample, tmp_path / "plots")
    assert sorted(path.name for path in paths) == [
        f"{name}.{kind}" for name in ("labels", "lengths", "words") for kind in ("png", "svg")
    ]
    assert all(path.stat().st_size > 5000 for path in paths)
    assert paths[0].read_bytes().startswith(b"\x89PNG")


def test_a_label_is_drawn_in_its_own_colour(sample: CorpusStatistics) -> None:
    [axes] = plots.label_figure(sample).axes
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    drawn = {name: to_hex(bar.get_facecolor()) for name, bar in zip(names, axes.patches, strict=True)}
    assert drawn["joyful"] == BY_NAME["joyful"].colour


def test_without_labels_only_lengths_are_drawn(tmp_path: Path) -> None:
    bare = CorpusStatistics(
        "bare", "conversations", {"train": count_dialogues([Dialogue("a", (Turn("speaker", "x y"),))])}, {}
    )
    assert [path.name for path in plots.write_plots(bare, tmp_path)] == ["lengths.png", "lengths.svg"]


def test_without_the_drawing_packages_the_extra_is_named() -> None:
    code = "import sys; sys.modules['matplotlib'] = None; import hearten.data.plots"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "drawing plots needs the 'train' extra" in said
