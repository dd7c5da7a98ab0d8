"""Results on disk: `results/<system>/<preset>/metrics.json` and `predictions.jsonl.gz`, and the page made from them."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from hearten.artifacts import card
from hearten.artifacts.folder import METRICS, package_version, write_json
from hearten.errors import UserError
from hearten.evaluation import records
from hearten.evaluation.run import Evaluation
from hearten.evaluation.sampling import BLOCKS, RESAMPLES, Score
from hearten.places import whole_folder

PREDICTIONS = "predictions.jsonl.gz"
INTERVALS = (
    f"95%; {RESAMPLES:,} bootstrap resamples of conversations, "
    f"or a jackknife over {BLOCKS} blocks of them (distinct, genericness)"
)


@dataclass(frozen=True, slots=True)
class Run:
    """What was evaluated, on what, and how."""

    system: str
    preset: str
    corpus: str
    split: str
    window: int | None
    limit: int | None
    drawn: bool
    """The examples were drawn from the whole split with the seed."""
    seed: int
    data: dict[str, str]
    """SHA-256 of the evaluated split, by `corpus/split`."""
    trained_on: dict[str, str]
    """The same for what the system was made from."""
    command: str
    date: str

    @property
    def title(self) -> str:
        """Name the system for tables."""
        return f"{self.system} · {self.preset}"

    @property
    def where(self) -> str:
        """Name what it was measured on, for tables."""
        if self.limit is None:
            return f"{self.corpus}/{self.split}"
        part = f"{self.limit:,} drawn" if self.drawn else f"first {self.limit:,}"
        return f"{self.corpus}/{self.split}, {part}"


@dataclass(frozen=True, slots=True)
class Result:
    """A stored evaluation."""

    folder: Path
    run: Run
    version: str
    scores: tuple[Score, ...]
    measured: tuple[str, ...]
    """Names of the metrics behind the scores."""
    skipped: dict[str, str]

    def score(self, metric: str) -> Score | None:
        """Return the score of this name, if it was measured."""
        return next((score for score in self.scores if score.metric == metric), None)


@dataclass(frozen=True, slots=True)
class Published:
    """Headline measures, and what papers report of them."""

    columns: tuple[str, ...]
    results: tuple[dict[str, Any], ...]


def published() -> Published:
    """Read the published scores that come with the package."""
    table = tomllib.loads((files("hearten.evaluation") / "published.toml").read_text(encoding="utf-8"))
    return Published(tuple(table["columns"]), tuple(table["result"]))


def save(evaluation: Evaluation, run: Run, place: Path) -> Path:
    """Write a results folder, replacing an older one as a whole."""
    with whole_folder(place) as draft:
        write_json(draft / METRICS, to_json(evaluation, run))
        records.write(draft / PREDICTIONS, evaluation.predictions)
    return place


def attach(evaluation: Evaluation, run: Run, model: Path) -> None:
    """Put the scores into a model folder and renew its card."""
    write_json(model / METRICS, to_json(evaluation, run))
    (model / "README.md").write_text(card.write(model), encoding="utf-8")


def to_json(evaluation: Evaluation, run: Run) -> dict[str, Any]:
    """Return all of a result except the predictions."""
    return {
        **asdict(run),
        "examples": len(evaluation.predictions),
        "version": package_version(),
        "intervals": INTERVALS,
        "scores": [{**asdict(score), "split": run.split} for score in evaluation.scores],
        "measured": evaluation.measured,
        "skipped": evaluation.skipped,
    }


def read(folder: Path) -> Result:
    """Read one results folder."""
    path = folder / METRICS
    try:
        table = {"drawn": False} | json.loads(path.read_text(encoding="utf-8"))
        run = Run(**{name: table[name] for name in Run.__slots__})
        scores = tuple(Score(**{name: row[name] for name in Score.__slots__}) for row in table["scores"])
        return Result(folder, run, table["version"], scores, tuple(table["measured"]), table["skipped"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is not a result of hearten evaluate ({error!r}); evaluate again") from None


def collect(folder: Path) -> list[Result]:
    """Read every result in a folder and below, in the order of their names."""
    found = [read(path.parent) for path in folder.rglob(METRICS)]
    if not found:
        raise UserError(f"{folder} holds no results; make some with: hearten evaluate SYSTEM --preset PRESET")
    return sorted(found, key=lambda result: (result.run.system, result.run.preset, result.folder))


def titles(results: Sequence[Result]) -> list[str]:
    """Name results for tables; those that would have the same name say in which folder they are."""
    names = Counter((r.run.title, r.run.where) for r in results)
    return [r.run.title + (f" ({r.folder.name})" if names[r.run.title, r.run.where] > 1 else "") for r in results]


def flat(results: Iterable[Result]) -> list[dict[str, Any]]:
    """List every score with what it belongs to, for machines."""
    return [
        {"system": r.run.system, "preset": r.run.preset, "split": r.run.split, **asdict(score)}
        for r in results
        for score in r.scores
    ]


def render_results(folder: Path, reported: Published) -> str:
    """Write the results page: headline measures beside published ones, then every score with its signature."""
    results = collect(folder)
    parts = [
        "# Results",
        "Generated by `hearten results --write`; do not edit. Square brackets hold 95% intervals. Published scores "
        "come from protocols that differ in tokeniser, test set and code: they orient, they do not rank.",
        _headlines(results, reported),
        _published(reported),
        *map(_details, results, titles(results)),
    ]
    return "\n\n".join(parts) + "\n"


def _headlines(results: Sequence[Result], reported: Published) -> str:
    rows = [
        [title, r.run.where, *(cell(r.score(name)) for name in reported.columns)]
        for r, title in zip(results, titles(results), strict=True)
    ]
    return "## Ours\n\n" + table(["system · preset", "measured on", *reported.columns], rows)


def _published(reported: Published) -> str:
    rows = [
        [row["system"], *(_number(row["scores"], name) for name in reported.columns), row.get("note", "")]
        for row in reported.results
    ]
    return "## Published, on the EmpatheticDialogues test set\n\n" + table(["system", *reported.columns, "note"], rows)


def _number(scores: Mapping[str, float], name: str) -> str:
    return f"{scores[name]:g}" if name in scores else ""


def _details(result: Result, title: str) -> str:
    run = result.run
    rows = [[s.metric, cell(s), f"{s.n:,}", f"`{card.in_cell(s.signature)}`"] for s in result.scores]
    digest = next(iter(run.data.values()), "")
    window = "all turns" if run.window is None else f"the last {run.window} turns"
    about = (
        f"`{run.command}`, hearten {result.version}, {run.date}; {run.where} "
        f"(SHA-256 `{digest[:12]}`), context: {window}"
    )
    skipped = "".join(f"\n- {name} was skipped: {reason}" for name, reason in result.skipped.items())
    body = table(["metric", "value", "n", "signature"], rows)
    return f"## {title}\n\n{about}.\n\n{body}" + (f"\n{skipped}" if skipped else "")


def cell(score: Score | None) -> str:
    """Print a score with its interval."""
    if score is None:
        return ""
    if score.better == "neither" and score.value >= 1000:
        return f"{score.value:,.0f}"
    return f"{digits(score.value)} [{digits(score.low)}, {digits(score.high)}]"


def digits(value: float) -> str:
    """Print two decimals, or three of a number below one."""
    return f"{value:.3f}" if 0 < abs(value) < 1 else f"{value:.2f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
