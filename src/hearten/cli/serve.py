"""`hearten serve`: the chat service."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class EngineName(StrEnum):
    """Where replies come from."""

    local = "local"
    openai = "openai"
    torch = "torch"


def command(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; 0: one for each processor.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of each worker.")] = None,
    together: Annotated[int | None, typer.Option(help="Asks that a worker answers in one batch.")] = None,
    queue: Annotated[int | None, typer.Option(help="Asks that may wait before people are sent away.")] = None,
    system: Annotated[
        list[str] | None, typer.Option(help="name, name:preset or a model folder; several may be given.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="Preset of the systems that do not name one.")] = None,
    engine: Annotated[EngineName | None, typer.Option(help="Where replies come from.")] = None,
    openai_url: Annotated[str | None, typer.Option(help="For --engine openai: address that ends in /v1.")] = None,
    openai_model: Annotated[str | None, typer.Option(help="For --engine openai: which model there.")] = None,
    database_url: Annotated[str | None, typer.Option(help="sqlite:///file.db or postgresql://...")] = None,
    data_folder: Annotated[Path | None, typer.Option(help="For the database and the cookie secret.")] = None,
    review_token_file: Annotated[Path | None, typer.Option(help="Holds the operator's token.")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with these and more settings.")] = None,
) -> None:
    """Serve the chat page and the API."""
    given = {name: value for name, value in locals().items() if name not in ("config", "system", "preset")}
    from hearten.errors import MissingExtra

    try:
        from hearten.service.server import serve
        from hearten.service.settings import named_systems, read_settings
    except ModuleNotFoundError as error:
        if str(error.name).startswith("hearten"):
            raise
        raise MissingExtra("the chat service", "serve") from None
    settings = read_settings({**given, "systems": named_systems(system, preset)}, config)
    serve(settings, lambda text: print(text, file=sys.stderr, flush=True))
