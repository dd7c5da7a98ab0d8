"""One evaluation from end to end: read the examples, ask or read the replies, measure, store."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hearten.artifacts.folder import command_line
from hearten.data import source
from hearten.data.corpus import DialogueCorpus
from hearten.decoding import Decoding
from hearten.evaluation import report
from hearten.evaluation.gather import SHUFFLES
from hearten.evaluation.partial import Partial
from hearten.evaluation.replies_file import read_replies
from hearten.evaluation.report import Result, Run
from hearten.evaluation.run import Evaluation, evaluate, judge
from hearten.evaluation.target import Gold, fingerprint, open_target, read_gold

TEXT_METRICS = ("labels",)


@dataclass(frozen=True, slots=True)
class Job:
    """On what to measure, what, and where to put it."""

    corpus: str = "empathetic_dialogues"
    split: str = "test"
    window: int | None = None
    limit: int | None = None
    drawn: bool = False
    """The limited examples come from the whole split, chosen by the seed, and are not its first ones."""
    metrics: Sequence[str] | None = None
    seed: int = 0
    out: Path | None = None
    decoding: str | None = None
    """How replies are made, where it is not as the model's settings say."""
    overrides: list[str] | None = None
    """Changes to the preset of a system that needs no training."""
    shuffles: int = SHUFFLES
    """Orders of the examples, beside their own, in which replies are ranked."""
    corpus_order: bool = True
    """Rank them in the examples' own order too."""

    @property
    def gold(self) -> Gold:
        """Read the examples."""
        return read_gold(self.corpus, self.split, self.window, self.limit, self.seed if self.drawn else None)

    @property
    def has_dialogues(self) -> bool:
        """Say whether conversations are measured on, and not single texts."""
        return isinstance(source.corpus(self.corpus), DialogueCorpus)

    def place(self, system: str, preset: str) -> Path:
        """Return the results folder; what was measured on single texts lies apart."""
        apart = [] if self.has_dialogues else [self.corpus]
        return self.out or Path("results") / system / "-".join([self.variant(preset), *apart])

    def variant(self, preset: str) -> str:
        """Name a preset with what was changed of it."""
        changed = [_short(assignment) for assignment in self.overrides or ()]
        return "-".join([preset, *changed, *([self.decoding] if self.decoding else [])])

    def chosen(self) -> Sequence[str] | None:
        """Name the metrics; on single texts only their labels can be measured."""
        return self.metrics or (None if self.has_dialogues else TEXT_METRICS)

    def describe(self, system: str, preset: str, trained_on: dict[str, str]) -> Run:
        """Note what is evaluated, on what, and how."""
        data = {f"{self.corpus}/{self.split}": source.checksum(self.corpus, self.split)}
        where = (self.corpus, self.split, self.window, self.limit, self.drawn, self.seed)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        return Run(system, preset, *where, data, trained_on, command_line(), today)


def _short(assignment: str) -> str:
    """Return what was set as a part of a folder's name."""
    key, _, value = assignment.partition("=")
    return f"{key.rpartition('.')[2]}={value.replace('/', '_')}"


def names(listed: str | None) -> list[str] | None:
    """Read names of metrics with commas between them."""
    return [part.strip() for part in listed.split(",")] if listed else None


def evaluate_target(named: str, preset: str, job: Job) -> Result:
    """Evaluate a model folder or a system that needs no training; an interrupted evaluation goes on where it was."""
    gold = job.gold
    target = open_target(named, preset, Decoding.parse(job.decoding) if job.decoding else None, job.overrides)
    origin = target.origin
    place = job.place(origin.system, origin.preset)
    identity = fingerprint(target.identity, gold.examples, job.seed)
    partial = Partial(place.parent / f".{place.name}.partial.jsonl", identity)
    orders = job.shuffles, job.corpus_order
    found = evaluate(target.system, gold.examples, job.chosen(), job.seed, gold.dialogues, partial, *orders)
    run = job.describe(origin.system, job.variant(origin.preset), origin.data)
    result = _store(found, run, place)
    partial.remove()
    if target.model and job.limit is None and job.has_dialogues and not job.decoding:
        report.attach(found, run, target.model)
    return result


def evaluate_file(path: Path, name: str, job: Job) -> Result:
    """Evaluate replies that were made elsewhere."""
    gold = job.gold.examples
    found = judge(read_replies(path, gold), gold, job.metrics, job.seed)
    return _store(found, job.describe(name, "replies", {}), job.place(name, "replies"))


def _store(found: Evaluation, run: Run, place: Path) -> Result:
    report.save(found, run, place)
    return report.read(place)
