"""`hearten train`: make a model folder."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    system: Annotated[str, typer.Argument(help="Which system: hearten list systems.")],
    preset: Annotated[str, typer.Option(help="Which preset of it.")] = "tiny",
    assign: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value: stage.0.lr=1e-5.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the model folder goes; named by the recipe if absent.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over, whatever is there.")] = False,
) -> None:
    """Train a system, or go on where its training was interrupted."""
    from hearten.training.changes import changes, table
    from hearten.training.loop import Stopped, repeated_order, train
    from hearten.training.settings import recipe

    chosen = recipe(system, preset, assign)
    for line in changes(table(recipe(system, preset)), table(chosen)):
        print(f"changed from the preset: {line}", file=sys.stderr)
    if repeated := repeated_order(chosen):
        print(f"note: {repeated}", file=sys.stderr)
    try:
        print(train(chosen, out, resume=not fresh))
    except Stopped as stopped:
        print(f"hearten: {stopped}", file=sys.stderr)
        raise typer.Exit(130) from None
