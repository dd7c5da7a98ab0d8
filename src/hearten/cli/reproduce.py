"""`hearten reproduce`: a paper's system end to end, its reported scores beside ours."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    system: Annotated[str, typer.Argument(help="Which system: hearten list systems.")],
    preset: Annotated[list[str] | None, typer.Option(help="Only this row; may be repeated.")] = None,
    corpus: Annotated[str, typer.Option(help="Corpus to measure on.")] = "empathetic_dialogues",
    split: Annotated[str, typer.Option(help="Split of the corpus.")] = "test",
    limit: Annotated[int | None, typer.Option(min=1, help="Use only the first so many examples.")] = None,
    metrics: Annotated[str | None, typer.Option(help="Only these, with commas between; otherwise all.")] = None,
    overrides: Annotated[list[str] | None, typer.Option("--set", help="Override a value: stage.0.epochs=2.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    seed: Annotated[int, typer.Option(help="For shuffles and resampling.")] = 0,
) -> None:
    """Train a system, evaluate it, and print what its paper reports beside what we measured."""
    from hearten.evaluation.job import Job, names
    from hearten.evaluation.reproduce import reproduce, rows
    from hearten.evaluation.show import reproduction_table

    job = Job(corpus, split, limit=limit, metrics=names(metrics), seed=seed, out=out)
    made = [reproduce(system, one, job, overrides) for one in preset or rows(system)]
    reproduction_table(made)
    for one in made:
        typer.echo(f"model {one.model}, scores {one.result.folder}", err=True)
