"""`hearten read`: how a person feels, and what they do by saying it."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    turns: Annotated[
        list[str] | None, typer.Argument(help="What was said, turn by turn; without any, each line of stdin is a text.")
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Folder of an exported reader; the shipped one if absent.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many emotions to show.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each text.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(help="Make a reader from this folder of `hearten train reader`, or finish an exported one anew."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where --export writes; reader/ in the model folder if absent.")
    ] = None,
    asks_shipped: Annotated[
        bool,
        typer.Option(help="With --export: the new reader also asks the shipped one, as far as that helps."),
    ] = False,
) -> None:
    """Read the emotion of a conversation and the intent of its last utterance, with the words that show it."""
    from hearten.errors import UserError

    if export is not None:
        from hearten.systems.reader.export import export as export_reader

        print(export_reader(export, out or export / "reader", asks_shipped))
        return
    if out is not None or asks_shipped:
        raise UserError("--out and --asks-shipped say how --export writes; name the model folder to export too")
    given = [turns] if turns else [[line.rstrip("\n")] for line in sys.stdin if line.strip()]
    if not any(turn.strip() for texts in given for turn in texts):
        raise UserError("there is nothing to read; write a text after the command, or send lines to its stdin")
    _print(given, model, top, as_json)


def _print(given: list[list[str]], model: Path | None, top: int, as_json: bool) -> None:
    import json

    from rich.console import Console

    from hearten.reader.model import Reader
    from hearten.reader.show import show

    reader = Reader.load(model)
    for texts, emotion, utterance in reader.read_conversations(given):
        if as_json:
            print(json.dumps({"turns": texts, "emotion": emotion.table(top), "utterance": utterance.table(top)}))
        else:
            show(Console(highlight=False, soft_wrap=True), texts, emotion, utterance, top)
