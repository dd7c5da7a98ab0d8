"""The verbs evaluate, compare and results, as a person types them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hearten.cli.main import build

runner = CliRunner()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own with two results on the shipped corpus."""
    monkeypatch.chdir(tmp_path)
    from hearten.evaluation.target import read_gold

    count = len(read_gold("sample", "test").examples)
    for name in ("one", "two"):
        Path(f"{name}.txt").write_text(f"I see, {name}.\n" * count, encoding="utf-8")
        run("evaluate", "--replies", f"{name}.txt", "--name", name, "--corpus", "sample", "--metrics", "surface")
    return tmp_path


def run(*arguments: str) -> str:
    outcome = runner.invoke(build(), arguments, catch_exceptions=False)
    assert outcome.exit_code == 0
    return outcome.stdout


def test_evaluate_prints_and_stores(here: Path) -> None:
    arguments = ["--preset", "tiny", "--corpus", "sample", "--limit", "30", "--metrics", "bleu,distinct", "--json"]
    rows = json.loads(run("evaluate", "bm25", *arguments))
    assert {row["system"] for row in rows} == {"bm25"}
    assert {"AVG BLEU", "distinct-1"} <= {row["metric"] for row in rows}
    assert (here / "results" / "bm25" / "tiny" / "predictions.jsonl.gz").is_file()


def test_results_lists_every_score(here: Path) -> None:
    rows = json.loads(run("results", "--json"))
    assert {row["system"] for row in rows} == {"one", "two"}
    assert {"system", "preset", "split", "metric", "value", "low", "high", "signature"} <= rows[0].keys()
    assert "one · replies" in run("results")


def test_results_writes_the_page(here: Path) -> None:
    run("results", "--write", "page.md")
    assert (here / "page.md").read_text(encoding="utf-8").startswith("# Results")


def test_compare_writes_what_it_is_asked_to(here: Path) -> None:
    printed = run("compare", "results/one", "results/two", "--markdown", "c.md", "--html", "c.html")
    assert "reply length" in printed
    assert "reply length" in (here / "c.md").read_text(encoding="utf-8")
    assert (here / "c.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    table = json.loads(run("compare", "results/one", "results/two", "--json"))
    assert [system["system"] for system in table["systems"]] == ["one", "two"]


def test_naming_neither_a_system_nor_replies_is_an_error(here: Path) -> None:
    from hearten.errors import UserError

    with pytest.raises(UserError, match="either a system"):
        run("evaluate", "--corpus", "sample")


def test_how_examples_are_drawn_says_nothing_without_how_many(here: Path) -> None:
    from hearten.errors import UserError

    with pytest.raises(UserError, match="--limit 500 --drawn"):
        run("evaluate", "bm25", "--preset", "tiny", "--corpus", "sample", "--drawn")
