"""`hearten show`: one thing in full."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="A system, corpus, metric, emotion, or a model folder.")],
    preset: Annotated[str | None, typer.Option(help="Print this preset of a system, resolved.")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw into this folder: the learning curve of a model, or the confusions of a result."),
    ] = None,
) -> None:
    """Show a system (and its presets), a corpus, a metric, an emotion or a model folder."""
    if plot is not None:
        from hearten.evaluation.pictures import draw

        for path in draw(Path(name), plot):
            typer.echo(f"wrote {path}", err=True)
    elif (Path(name) / "config.json").is_file():
        print((Path(name) / "README.md").read_text(encoding="utf-8"), end="")
    elif preset is None:
        from hearten import overview

        print(overview.full(name), end="\n")
    else:
        from hearten.training.settings import recipe

        print(recipe(name, preset).model_dump_json(indent=1))
