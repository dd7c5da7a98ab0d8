"""From evaluation to stored results, the results page, and comparisons."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearten.errors import UserError
from hearten.evaluation import compare, plots, report
from hearten.evaluation.job import Job, evaluate_file, evaluate_target
from hearten.evaluation.report import Result
from hearten.evaluation.target import read_gold

METRICS = ["bleu", "distinct", "genericness", "surface"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three sets of replies to the shipped corpus: stock phrases twice, and what people said."""
    gold = read_gold("sample", "test").examples
    stock = ["I am sorry to hear that.", "That is great!", "What happened then?"]
    makers = {
        "stock": [stock[n % 3] for n in range(len(gold))],
        "stock-again": [stock[(n + 1) % 3] for n in range(len(gold))],
        "people": [example.reply.text for example in gold],
    }
    for name, replies in makers.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in replies), encoding="utf-8")
        job = Job("sample", metrics=METRICS, out=tmp_path / "results" / name / "replies")
        evaluate_file(tmp_path / f"{name}.txt", name, job)
    return tmp_path / "results"


def named(results: Path) -> dict[str, Result]:
    return {result.run.system: result for result in report.collect(results)}


def test_people_score_what_people_must_score(results: Path) -> None:
    people = named(results)["people"]
    average = people.score("AVG BLEU")
    assert average is not None and average.value == pytest.approx(100)
    assert average.n == len(read_gold("sample", "test").examples)


def test_a_result_says_what_it_was_measured_on(results: Path) -> None:
    table = json.loads((results / "people" / "replies" / "metrics.json").read_text(encoding="utf-8"))
    assert (table["corpus"], table["split"]) == ("sample", "test")
    assert len(table["data"]["sample/test"]) == 64
    assert {"system", "preset", "command", "version", "date", "seed", "window"} <= table.keys()
    assert {"metric", "value", "low", "high", "n", "signature", "split"} <= table["scores"][0].keys()


def test_the_results_page_is_the_same_every_time(results: Path) -> None:
    page = report.render_results(results, report.published())
    assert page == report.render_results(results, report.published())
    assert page.index("people · replies") < page.index("stock · replies") < page.index("stock-again · replies")
    assert "66.04" in page and "| 100.00 [100.00, 100.00] |" in page
    assert r"bleu:avg\|n:1-4\|tok:spaced" in page


def test_results_of_one_name_are_told_apart_by_their_folders(results: Path) -> None:
    shutil.copytree(results / "stock" / "replies", results / "stock" / "once-more")
    page = report.render_results(results, report.published())
    for name in ("stock · replies (replies)", "stock · replies (once-more)", "people · replies"):
        assert f"| {name} |" in page and f"## {name}\n" in page
    both = [report.read(results / "stock" / name) for name in ("replies", "once-more")]
    assert "| stock · replies (once-more) |" in compare.to_markdown(compare.compare(both))


def test_every_published_score_has_a_headline_column() -> None:
    reported = report.published()
    assert {name for row in reported.results for name in row["scores"]} <= set(reported.columns)


def test_no_results_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no results"):
        report.collect(tmp_path)


def test_a_foreign_file_among_the_results_is_said(results: Path) -> None:
    (results / "people" / "replies" / "metrics.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match="not a result of hearten evaluate"):
        report.collect(results)


def comparison(results: Path, *systems: str) -> compare.Comparison:
    return compare.compare(compare.find([results / system for system in systems]))


def test_a_clear_difference_is_significant_and_none_is_not(results: Path) -> None:
    rows = {row.metric: row for row in comparison(results, "stock", "people", "stock-again").rows}
    people, again = rows["AVG BLEU"].differences[1:]
    assert people is not None and people.value > 90 and people.p < 0.001 and people.low > 0
    assert again is not None and again.p > 0.05
    different = rows["different replies"].differences[1]
    assert different is not None and different.value > 90 and different.p < 0.001
    assert rows["AVG BLEU"].differences[0] is None


def test_only_measures_that_both_have_are_tested(results: Path, tmp_path: Path) -> None:
    evaluate_file(tmp_path / "stock.txt", "few", Job("sample", metrics=["surface"], out=results / "few"))
    rows = {row.metric: row for row in comparison(results, "stock", "people", "few").rows}
    assert rows["AVG BLEU"].scores[2] is None and rows["AVG BLEU"].differences[2] is None
    assert rows["AVG BLEU"].differences[1] is not None
    same = rows["reply length"].differences[2]
    assert same is not None and same.value == 0 and same.p == 1


def test_results_on_other_examples_are_not_compared(results: Path, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("yes\n" * 20, encoding="utf-8")
    evaluate_file(tmp_path / "short.txt", "short", Job("sample", limit=20, metrics=["surface"], out=results / "short"))
    with pytest.raises(UserError, match="limit is None and 20"):
        comparison(results, "stock", "short")


def test_examples_drawn_by_another_seed_are_other_examples(results: Path, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("yes\n" * 20, encoding="utf-8")
    for seed in (0, 1):
        job = Job("sample", limit=20, drawn=True, metrics=["surface"], seed=seed, out=results / f"drawn-{seed}")
        result = evaluate_file(tmp_path / "short.txt", "short", job)
        assert result.run.where == "sample/test, 20 drawn"
    with pytest.raises(UserError, match="seed is 0 and 1"):
        comparison(results, "drawn-0", "drawn-1")
    same = evaluate_file(tmp_path / "short.txt", "again", replace(job, out=results / "again"))
    row = compare.compare([report.read(results / "drawn-1"), same]).rows[0]
    assert row.differences[1] is not None and row.differences[1].p == 1


def test_drawn_examples_come_from_the_whole_split_in_its_order() -> None:
    whole = [example.id for example in read_gold("sample", "test").examples]
    drawn = [example.id for example in read_gold("sample", "test", limit=20, draw=0).examples]
    places = [whole.index(one) for one in drawn]
    assert places == sorted(places) and len(set(places)) == 20 and places[-1] > len(whole) / 2
    assert drawn == [example.id for example in read_gold("sample", "test", limit=20, draw=0).examples]
    assert drawn != [example.id for example in read_gold("sample", "test", limit=20, draw=1).examples]
    assert len(read_gold("sample", "test", limit=10**6, draw=0).examples) == len(whole)


def test_one_result_is_no_comparison(results: Path) -> None:
    with pytest.raises(UserError, match="at least two"):
        comparison(results, "stock")


def test_markdown_and_html_hold_every_measure(results: Path) -> None:
    found = comparison(results, "stock", "people")
    markdown, page = compare.to_markdown(found), plots.page(found)
    for row in found.rows:
        assert f"| {row.metric} |" in markdown
        assert row.metric in page
    assert "p &lt; .001" in page and page.count("<svg") == 1
    assert "http-equiv" not in page and "<script" not in page and "src=" not in page


def test_the_plot_is_the_same_every_time(results: Path) -> None:
    found = comparison(results, "stock", "people")
    assert plots.svg(found) == plots.svg(found)


def test_a_system_without_training_is_built_evaluated_and_compared_through_its_sources(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(results.parent)
    result = evaluate_target("bm25", "tiny", Job("sample", metrics=METRICS))
    assert result.folder == Path("results/bm25/tiny")
    assert not list(Path("results").rglob("*partial*"))
    difference = {row.metric: row for row in comparison(results, "stock", "bm25").rows}["AVG BLEU"].differences[1]
    assert difference is not None  # its replies are quotations, so their text came from the corpus


def test_p_values_read_like_p_values() -> None:
    assert [compare.chance(p) for p in (0.0001, 0.0123, 1.0)] == ["p < .001", "p = .012", "p = 1.000"]


def test_a_result_attached_to_a_model_shows_on_its_card(tmp_path: Path) -> None:
    from hearten.artifacts import folder
    from hearten.training.build import build
    from hearten.training.settings import recipe

    system, origin = build(recipe("bm25", "tiny"))
    model: Any = folder.save(system, origin, tmp_path / "model")
    evaluate_target(str(model), "", Job("sample", metrics=["surface"], out=tmp_path / "out"))
    assert "reply length" in (model / "README.md").read_text(encoding="utf-8")


def test_a_system_that_has_to_learn_first_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="hearten train plainlm --preset tiny"):
        evaluate_target("plainlm", "tiny", Job("sample", out=tmp_path / "out"))


def test_a_folder_that_is_no_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a model folder"):
        evaluate_target(str(tmp_path), "tiny", Job("sample", out=tmp_path / "out"))
