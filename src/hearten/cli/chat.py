"""`hearten chat`: talk in the terminal."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer


def command(
    system: Annotated[str, typer.Option(help="Which system answers: hearten list systems.")] = "listener",
    preset: Annotated[str | None, typer.Option(help="Which preset of it; the best that is ready, if absent.")] = None,
    assign: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the preset.")] = None,
    model: Annotated[Path | None, typer.Option(help="A model folder made by `hearten train`, instead.")] = None,
    country: Annotated[str | None, typer.Option(help="Whose helplines to offer in a crisis: US, DE, ...")] = None,
) -> None:
    """Talk to a system in the terminal."""
    import hearten
    from hearten.conversation import Conversation
    from hearten.terminal import Terminal

    conversation = Conversation(hearten.load(model or system, preset, assign), country=country)
    Terminal(conversation, sys.stdin.isatty()).run(_typed())


def _typed() -> Iterator[str]:
    while True:
        try:
            yield input("you: " if sys.stdin.isatty() else "")
        except EOFError:
            return
