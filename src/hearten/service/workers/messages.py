"""Asks and happenings as lines of JSON, between the server and its worker processes."""

import json
from dataclasses import asdict
from typing import Any

from hearten.dialogue import Turn
from hearten.service.engine import Answered, Ask, Happening, Piece, Read

KINDS: dict[str, type[Read] | type[Piece] | type[Answered]] = {"read": Read, "piece": Piece, "answered": Answered}
NAMES = {kind: name for name, kind in KINDS.items()}


def line(table: dict[str, Any]) -> bytes:
    """Write one message."""
    return json.dumps(table).encode() + b"\n"


def ask_table(ask: Ask) -> dict[str, Any]:
    """Return an ask as JSON can hold it."""
    return asdict(ask)


def read_ask(table: dict[str, Any]) -> Ask:
    """Read what `ask_table` gave."""
    context = tuple(Turn(**turn) for turn in table["context"])
    return Ask(**{**table, "context": context, "avoid": tuple(table["avoid"])})


def happening_table(happening: Happening) -> dict[str, Any]:
    """Return a happening as JSON can hold it."""
    return {"kind": NAMES[type(happening)], **asdict(happening)}


def read_happening(table: dict[str, Any]) -> Happening:
    """Read what `happening_table` gave."""
    fields = dict(table)
    return KINDS[fields.pop("kind")](**fields)
