"""`hearten models`: pretrained weights on this machine."""

from typing import Annotated

import typer

app = typer.Typer(help="List, fetch and check pretrained weights.", no_args_is_help=True)

Names = Annotated[list[str], typer.Argument(help="Names as in: hearten models list")]


@app.command("list")
def list_() -> None:
    """List the known backbones: kind, licence, sources, and whether they are here."""
    from hearten.backbones import state

    for row in state.rows():
        print(f"{row.name:<22} {row.kind:<10} {row.licence:<11} {row.state:<32} {row.sources} ({row.hashes})")


@app.command()
def pull(
    names: Names,
    force: Annotated[bool, typer.Option(help="Fetch again even what is already here.")] = False,
) -> None:
    """Fetch backbones and check their hashes."""
    from hearten.backbones import catalogue, fetch

    for backbone in [catalogue.find(name) for name in names]:
        print(f"{backbone.name}: {fetch.pull(backbone, force=force)}")


@app.command()
def verify(names: Annotated[list[str] | None, typer.Argument(help="All that are here, by default.")] = None) -> None:
    """Hash the files of backbones again; exit 1 if one is damaged."""
    from hearten.backbones import catalogue, fetch, state

    bad = False
    for name in names or state.present():
        damaged = fetch.verify(catalogue.find(name))
        bad = bad or bool(damaged)
        print(f"{name}: {'damaged or missing: ' + ', '.join(damaged) if damaged else 'sound'}")
    if bad:
        raise typer.Exit(1)
