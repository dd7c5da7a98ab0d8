"""`hearten list`: what there is."""

from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    """What can be listed."""

    systems = "systems"
    corpora = "corpora"
    metrics = "metrics"
    emotions = "emotions"


def command(kind: Annotated[Kind | None, typer.Argument(help="One kind only.")] = None) -> None:
    """List systems, corpora, metrics and emotions."""
    from hearten import overview

    for one in [kind] if kind else Kind:
        print(f"{one.value}:")
        for name, about in overview.rows(one.value):
            print(f"  {name:<22} {about}")
