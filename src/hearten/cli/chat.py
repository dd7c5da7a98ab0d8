"""`hearten chat`: talk in the terminal."""

import sys
from pathlib import Path
from typing import Annotated

import typer

NOTICE = """\
This is a program, not a person, and not therapy. If you may be in danger, please call your local emergency number.
Write what happened to you. /undo takes the last exchange back, /new starts over, /quit ends (or Ctrl-D).
"""


def command(
    system: Annotated[str, typer.Option(help="Which system answers: hearten list systems.")] = "bm25",
    preset: Annotated[str, typer.Option(help="Which preset of it.")] = "tiny",
    model: Annotated[Path | None, typer.Option(help="A model folder made by `hearten train`, instead.")] = None,
) -> None:
    """Talk to a system in the terminal."""
    import hearten
    from hearten.errors import UserError

    conversation = hearten.chat(model or system, preset)
    shown = sys.stdin.isatty()
    print(NOTICE, file=sys.stderr)
    while True:
        try:
            line = input("you: " if shown else "")
        except EOFError:
            return
        match line.strip():
            case "":
                continue
            case "/quit":
                return
            case "/undo":
                conversation.undo()
            case "/new":
                conversation.turns.clear()
            case unknown if unknown.startswith("/"):
                print(f"there is no {unknown.split()[0]}; try /undo, /new or /quit", file=sys.stderr)
            case text:
                try:
                    print(f"hearten: {conversation.say(text).text}")
                except UserError as error:
                    print(f"hearten: {error}", file=sys.stderr)
