"""`hearten reply`: answer many contexts."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    system: Annotated[str, typer.Option(help="Which system answers: hearten list systems.")] = "listener",
    preset: Annotated[str | None, typer.Option(help="Which preset of it; the best that is ready, if absent.")] = None,
    assign: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the preset.")] = None,
    model: Annotated[Path | None, typer.Option(help="A model folder made by `hearten train`, instead.")] = None,
    decoding: Annotated[str | None, typer.Option(help="How replies are made: greedy, nucleus, beams=4, ...")] = None,
    seed: Annotated[int | None, typer.Option(help="For replies that are sampled.")] = None,
) -> None:
    """Answer contexts from stdin, one JSON object a line: {"context": ["I lost my job."]}."""
    import hearten
    from hearten.answering import answers, read_questions
    from hearten.decoding import Decoding
    from hearten.system import decode_with

    answering = hearten.load(model or system, preset, assign)
    decode_with(answering, Decoding.parse(decoding) if decoding else None, seed)
    for number, answer in enumerate(answers(answering, read_questions(sys.stdin)), 1):
        print(json.dumps(answer, ensure_ascii=False), flush=True)
        if sys.stderr.isatty():
            print(f"\r{number:,} answered", end="", file=sys.stderr)
