"""Setting stored results side by side: each measure with its interval, and how sure we are of the differences."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.evaluation import records, report
from hearten.evaluation.records import Prediction
from hearten.evaluation.report import PREDICTIONS, Result, cell, digits, table, titles
from hearten.evaluation.run import load
from hearten.evaluation.sampling import Measurement, Score, conversations
from hearten.evaluation.significance import Difference, paired
from hearten.evaluation.target import read_gold

NOTES = "Square brackets: 95% interval. Δ: difference to the first system; p: two-sided, paired over conversations."


@dataclass(frozen=True, slots=True)
class Row:
    """One measure over all results; differences are to the first, None where they cannot be had."""

    metric: str
    signature: str
    scores: tuple[Score | None, ...]
    differences: tuple[Difference | None, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results side by side; the first is the baseline."""

    results: tuple[Result, ...]
    rows: tuple[Row, ...]


def find(folders: Sequence[Path]) -> list[Result]:
    """Read the results in the given folders and below, in the order given."""
    found = [result for folder in folders for result in report.collect(folder)]
    if len(found) < 2:
        raise UserError("a comparison needs at least two results; name another folder")
    return found


def compare(results: Sequence[Result], seed: int = 0) -> Comparison:
    """Compare results measure by measure. A row holds one signature only: other protocols are other measures."""
    _require_same_examples(results)
    differences = [{}, *_differences(results, seed)]
    names = dict.fromkeys((score.signature, score.metric) for result in results for score in result.scores)
    rows = tuple(
        Row(
            metric,
            signature,
            tuple(_with(signature, result.scores) for result in results),
            tuple(found.get(signature) for found in differences),
        )
        for signature, metric in names
    )
    return Comparison(tuple(results), rows)


def _with(signature: str, scores: Sequence[Score]) -> Score | None:
    return next((score for score in scores if score.signature == signature), None)


def _require_same_examples(results: Sequence[Result]) -> None:
    for first, second in pairwise(results):
        for name in ("corpus", "split", "window", "limit", "drawn", "data", *(["seed"] if first.run.drawn else [])):
            one, other = getattr(first.run, name), getattr(second.run, name)
            if one != other:
                raise UserError(
                    f"{first.folder} and {second.folder} were not measured alike: {name} is {one} and {other}. "
                    "Evaluate both on the same examples."
                )


def _differences(results: Sequence[Result], seed: int) -> list[dict[str, Difference]]:
    """Compare the predictions of each result with those of the first, example by example."""
    base = results[0].run
    try:
        gold = read_gold(base.corpus, base.split, base.window, base.limit, base.seed if base.drawn else None).examples
        shared = {name for name in results[0].measured for other in results[1:] if name in other.measured}
        baseline, *others = [_measured(result, gold, shared) for result in results]
    except UserError as error:
        print(f"differences are left untested: {error}", file=sys.stderr)
        return [{} for _ in results[1:]]
    groups = conversations(gold)
    return [
        {
            difference.signature: difference
            for name in baseline.keys() & other.keys()
            for difference in paired(baseline[name], other[name], groups, seed)
        }
        for other in others
    ]


def _measured(result: Result, gold: Sequence[Example], metrics: Iterable[str]) -> dict[str, Measurement]:
    """Measure a stored result anew, to have its per-example statistics; measurements are named by their signatures."""
    stored = {prediction.id: prediction for prediction in records.read(result.folder / PREDICTIONS)}
    if stored.keys() != {example.id for example in gold}:
        raise UserError(f"{result.folder} was measured on other examples than are on this machine")
    in_order: list[Prediction] = [stored[example.id] for example in gold]
    corpora = dict.fromkeys([*(key.split("/")[0] for key in result.run.trained_on), result.run.corpus])
    resolved = records.resolve(in_order, list(corpora))
    return {
        " ".join(measure.signature for measure in measurement.measures): measurement
        for name in metrics
        if name in result.measured
        for measurement in load(name).measure(resolved, gold)
    }


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison for machines."""
    return {
        "systems": [{"system": r.run.system, "preset": r.run.preset} for r in comparison.results],
        "measures": [asdict(row) for row in comparison.rows],
    }


def to_markdown(comparison: Comparison) -> str:
    """Write a comparison as a Markdown table."""
    names = titles(comparison.results)
    rows = [
        [row.metric, *(entry(s, d) for s, d in zip(row.scores, row.differences, strict=True))]
        for row in comparison.rows
    ]
    return f"{table(['metric', *names], rows)}\n\n{NOTES}\n"


def entry(score: Score | None, difference: Difference | None) -> str:
    """Print a score and, where it was tested, its distance from the baseline."""
    if difference is None:
        return cell(score)
    sign = "+" if difference.value >= 0 else "-"
    return f"{cell(score)} (Δ {sign}{digits(abs(difference.value))}, {chance(difference.p)})"


def chance(p: float) -> str:
    """Print a p-value."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)
