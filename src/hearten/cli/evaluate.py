"""`hearten evaluate`: measure a model, a system that needs no training, or replies that were made elsewhere."""

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    system: Annotated[str | None, typer.Argument(help="A model folder, or a system that needs no training.")] = None,
    preset: Annotated[str, typer.Option(help="Which preset of the system.")] = "offline",
    corpus: Annotated[str, typer.Option(help="Corpus to measure on.")] = "empathetic_dialogues",
    split: Annotated[str, typer.Option(help="Split of the corpus.")] = "test",
    limit: Annotated[int | None, typer.Option(min=1, help="Use only the first so many examples.")] = None,
    drawn: Annotated[bool, typer.Option("--drawn", help="Draw the --limit examples from the whole split.")] = False,
    metrics: Annotated[str | None, typer.Option(help="Only these, with commas between; otherwise all.")] = None,
    replies: Annotated[Path | None, typer.Option(help="Score this file instead: one reply a line, or .jsonl.")] = None,
    name: Annotated[str, typer.Option(help="What to call the maker of --replies.")] = "elsewhere",
    window: Annotated[int | None, typer.Option(min=1, help="Turns of context to give; all if absent.")] = None,
    decoding: Annotated[str | None, typer.Option(help="How replies are made: greedy, nucleus, beams=4, ...")] = None,
    assign: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the preset of a system by name.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write; results/SYSTEM/PRESET if absent.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print scores as JSON.")] = False,
    seed: Annotated[int, typer.Option(help="For shuffles and resampling.")] = 0,
    shuffles: Annotated[int, typer.Option(min=1, help="Orders in which replies are ranked for P@1,100.")] = 5,
    corpus_order: Annotated[bool, typer.Option(help="Rank in the order of the corpus, too.")] = True,
) -> None:
    """Measure a system on a corpus, with intervals and signatures."""
    from hearten.errors import UserError
    from hearten.evaluation.job import Job, evaluate_file, evaluate_target, names
    from hearten.evaluation.show import score_table

    if (system is None) == (replies is None):
        raise UserError("name either a system (or model folder) or a file of --replies")
    if drawn and limit is None:
        raise UserError("--drawn says how the examples of --limit are chosen; say how many: --limit 500 --drawn")
    job = Job(corpus, split, window, limit, drawn, names(metrics), seed, out, decoding, assign, shuffles, corpus_order)
    result = evaluate_file(replies, name, job) if replies else evaluate_target(str(system), preset, job)
    if as_json:
        from hearten.evaluation.report import flat

        typer.echo(json.dumps(flat([result]), indent=1))
    else:
        score_table(result)
    typer.echo(f"written to {result.folder}", err=True)
