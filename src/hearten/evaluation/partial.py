"""Work in progress on disk, so that hours of answering survive an interruption.

One JSON line per answered example, after a first line that says whose answers they are. Like every stored prediction,
a line holds no corpus text: quoted replies are simply asked for again.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Fields = Mapping[str, Any]


class Partial:
    """The answers so far of one evaluation; `identity` changes whenever old answers would be wrong."""

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        rows = _read(path)
        if rows and rows[0].get("identity") == identity:
            self._rows = rows[1:]
            print(f"going on with {len(self._rows)} answers from {path}", file=sys.stderr)
        else:
            self._rows = []
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [{"identity": identity}, *self._rows]  # rewritten whole: a cut-off last line must not stay
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in lines), encoding="utf-8")

    def done(self, step: str) -> dict[str, Fields]:
        """Return what a step found out so far, by example."""
        return {row["id"]: row["fields"] for row in self._rows if row["step"] == step}

    def add(self, step: str, answers: Mapping[str, Fields]) -> None:
        """Append the answers to a batch of examples."""
        with self.path.open("a", encoding="utf-8") as file:
            for identity, fields in answers.items():
                if fields.get("source") is None:
                    row = {"step": step, "id": identity, "fields": fields}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def remove(self) -> None:
        """Delete the file, once the predictions are stored elsewhere."""
        self.path.unlink(missing_ok=True)


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    rows = []
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            rows.append(json.loads(text))
        except ValueError:
            break  # cut off while being written
    return rows
