"""`hearten data`: which corpora there are, fetching them, and looking into them."""

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="List, fetch and inspect corpora.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of a corpus; see: hearten data list")]
Strict = Annotated[bool, typer.Option(help="Stop at the first malformed row.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@app.command("list")
def list_corpora(as_json: AsJson = False) -> None:
    """List the corpora that hearten can read, and whether they are on this machine."""
    from hearten.data.overview import overview

    rows = overview()
    if as_json:
        return _print_json(rows)
    _print_table(["name", "kind", "title", "licence", "here"], [[*list(row.values())[:4], _here(row)] for row in rows])


@app.command()
def get(
    name: Name,
    origin: Annotated[
        Path | None, typer.Option("--from", help="Take the files from this folder, or from the official archive here.")
    ] = None,
) -> None:
    """Put a corpus into the cache: download it, or import it from a folder."""
    from hearten.data.acquire import acquire

    print(f"{name} is ready in {acquire(name, origin)}")


@app.command()
def stats(
    name: Name,
    plot: Annotated[Path | None, typer.Option(help="Draw figures (PNG and SVG) into this folder.")] = None,
    as_json: AsJson = False,
    strict: Strict = False,
) -> None:
    """Count dialogues, turns, words and labels of a corpus."""
    from hearten.data.corpus import Problems
    from hearten.data.statistics import corpus_statistics

    problems = Problems(strict)
    figures = corpus_statistics(name, problems)
    problems.tell()
    if as_json:
        _print_json(figures.as_json())
    else:
        _print_table(*figures.table())
        _print_table(["label", "typical words"], [[label, ", ".join(w)] for label, w in figures.top_words.items()])
    if plot is not None:
        from hearten.data.plots import write_plots

        for path in write_plots(figures, plot):
            typer.echo(f"wrote {path}", err=True)


@app.command()
def show(
    name: Name,
    split: Annotated[str | None, typer.Option(help="Which split; the first when absent.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many dialogues or texts.")] = 3,
    emotion: Annotated[str | None, typer.Option(help="Only those with this label.")] = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Print the first dialogues or labelled texts of a corpus."""
    from hearten.data.overview import as_text, first_items

    items = first_items(name, split, count, emotion, strict)
    if as_json:
        from dataclasses import asdict

        return _print_json([asdict(item) for item in items])
    print("\n\n".join(as_text(item) for item in items))


@app.command("expand-intents")
def expand_intents(
    size: Annotated[int, typer.Option(min=100, help="How many turns to label, about.")] = 7000,
    seed: Annotated[int, typer.Option(help="Chooses among the turns found.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Label listener turns by the cues of a few hand-labelled ones: makes the corpus expanded_intents."""
    from dataclasses import asdict

    from hearten.data.expansion import expand, store

    found = expand(size, seed)
    place = store(found.texts)
    if as_json:
        _print_json({"agreement": [asdict(row) for row in found.agreement], "cues": found.cues})
    else:
        header = ["intent", "found", "as lexical labels", "as automatic labels", "most frequent cues"]
        _print_table(header, found.table())
    typer.echo(f"{len(found.texts)} turns are in {place}", err=True)


def _here(row: dict[str, str]) -> str:
    return "yes" if row["folder"] else "no"


def _print_json(value: Any) -> None:
    import json

    print(json.dumps(value, indent=1, ensure_ascii=False))


def _print_table(header: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not rows:
        return
    table = Table(*header, header_style="bold", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    Console().print(table, soft_wrap=False)
