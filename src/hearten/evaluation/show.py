"""Scores, results and comparisons as tables in the terminal."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from hearten.evaluation.compare import Comparison, entry
from hearten.evaluation.report import Result, cell, published, titles
from hearten.evaluation.reproduce import Reproduction

PIPE = 240


def score_table(result: Result) -> None:
    """Print the scores of one result."""
    run = result.run
    table = Table("metric", "value", "n", "signature", title=f"{run.title} on {run.where}", box=None)
    for score in result.scores:
        table.add_row(score.metric, cell(score), f"{score.n:,}", score.signature)
    _console().print(table)


def results_table(results: Sequence[Result], columns: Sequence[str]) -> None:
    """Print the headline measures of many results, as far as anyone has them."""
    columns = [name for name in columns if any(result.score(name) for result in results)]
    table = Table("system", "measured on", *columns, box=None)
    for result, title in zip(results, titles(results), strict=True):
        table.add_row(title, result.run.where, *(cell(result.score(name)) for name in columns))
    _console().print(table)


def comparison_table(comparison: Comparison) -> None:
    """Print results side by side."""
    table = Table("metric", *titles(comparison.results), box=None)
    for row in comparison.rows:
        table.add_row(row.metric, *(entry(s, d) for s, d in zip(row.scores, row.differences, strict=True)))
    _console().print(table)


def reproduction_table(made: Sequence[Reproduction]) -> None:
    """Print what papers report beside what was measured; every headline measure where nothing is reported."""
    table = Table("system", "metric", "reported", "ours", box=None)
    for one in made:
        for name in one.reported or [name for name in published().columns if one.result.score(name)]:
            reported = f"{one.reported[name]:g}" if name in one.reported else ""
            table.add_row(one.result.run.title, name, reported, cell(one.result.score(name)) or "not measured")
    _console().print(table)


def _console() -> Console:
    """Return a console on stdout; a file or a pipe has no width to keep to."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE)
