"""Replies that were made elsewhere: a text file with one reply a line, or JSON lines with what else is known.

A JSON line is an object with `reply` and, if you have them, `id`, `log_likelihood` (total, in nats), `tokens`,
`emotion` and `intent`. With ids the order is free; without them it has to be that of the examples.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.evaluation.records import Prediction
from hearten.taxonomy import EMOTIONS, LABELS

KNOWN: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "reply": str,
    "log_likelihood": (int, float),
    "tokens": int,
    "emotion": str,
    "intent": str,
}
VOCABULARY = {"emotion": EMOTIONS, "intent": LABELS}


def read_replies(path: Path, examples: Sequence[Example]) -> list[Prediction]:
    """Read one prediction per example, in the order of the examples."""
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read replies from {path}: {error}") from None
    if path.suffix == ".jsonl":
        rows = [_parse(f"{path}:{number}", text) for number, text in enumerate(lines, 1)]
    else:
        rows = [{"reply": text} for text in lines]
    return _matched(path, rows, examples)


def _parse(where: str, text: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except ValueError as error:
        raise UserError(f"{where}: not a JSON object ({error})") from None
    if not isinstance(row, dict) or "reply" not in row:
        raise UserError(f"{where}: expected an object with a 'reply'")
    for name, value in row.items():
        if name not in KNOWN or not isinstance(value, KNOWN[name]):
            raise UserError(f"{where}: '{name}' is unknown or of the wrong type; known are {', '.join(KNOWN)}")
        if name in VOCABULARY and value not in VOCABULARY[name]:
            raise UserError(f"{where}: '{value}' is not a known {name}: {', '.join(VOCABULARY[name])}")
    return row


def _matched(path: Path, rows: Sequence[dict[str, Any]], examples: Sequence[Example]) -> list[Prediction]:
    if len(rows) != len(examples):
        raise UserError(
            f"{path} has {len(rows):,} replies for {len(examples):,} examples. The EmpatheticDialogues test set has "
            "5,259 listener replies; the MoEL family scores a set of 5,255. Give one reply per example, in order, "
            "or JSON lines with the ids of these examples and --limit or --split to match."
        )
    if not any("id" in row for row in rows):
        return [Prediction(**{**row, "id": example.id}) for row, example in zip(rows, examples, strict=True)]
    by_id = {str(row.get("id")): Prediction(**{"id": "", **row}) for row in rows}
    unknown = by_id.keys() - {example.id for example in examples}
    if unknown or len(by_id) < len(rows):
        raise UserError(f"{path} has repeated or unknown ids, e.g. {sorted(unknown)[:3] or 'one that comes twice'}")
    return [replace(by_id[example.id], id=example.id) for example in examples]
