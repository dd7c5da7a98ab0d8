"""What happened at each step, as JSON lines and for TensorBoard.

Timings aside, a resumed run logs what an uninterrupted one does.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from torch.utils.tensorboard import SummaryWriter


@dataclass(frozen=True, slots=True)
class Step:
    """One optimiser step."""

    stage: int
    step: int
    epoch: int
    loss: float
    parts: dict[str, float]
    counts: dict[str, int]
    """How many targets each part of the loss is a mean of."""
    lr: float
    grad_norm: float
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the validation loss."""

    stage: int
    step: int
    loss: float
    parts: dict[str, float]
    is_best: bool


class Log:
    """Appends to the log of a run; opened at a checkpoint it first forgets what came after."""

    def __init__(self, path: Path, events: Path, stage: int, step: int) -> None:
        kept = cut(path, stage, step)
        self._file = path.open("a", encoding="utf-8")
        self._steps = sum(line["kind"] == "step" for line in kept)
        self._board = SummaryWriter(str(events), purge_step=self._steps + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()
        self._board.close()

    def step(self, line: Step) -> None:
        """Note an optimiser step."""
        self._steps += 1
        self._write("step", asdict(line))
        shown = {"loss": line.loss, "lr": line.lr, "grad_norm": line.grad_norm}
        shown |= {f"loss/{name}": value for name, value in line.parts.items()}
        for name, value in shown.items():
            self._board.add_scalar(f"train/{name}", value, self._steps)

    def look(self, line: Look) -> None:
        """Note a validation loss."""
        self._write("validation", asdict(line))
        self._board.add_scalar("validation/loss", line.loss, self._steps)

    def _write(self, kind: str, fields: dict[str, Any]) -> None:
        self._file.write(json.dumps({"kind": kind, **fields}) + "\n")
        self._file.flush()


def cut(path: Path, stage: int, step: int) -> list[dict[str, Any]]:
    """Cut a log back to a step, and return what is left; a line that was half written is dropped."""
    kept = [line for line in read(path) if (line["stage"], line["step"]) <= (stage, step)]
    draft = path.with_suffix(".tmp")
    draft.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    draft.replace(path)
    return kept


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a log, up to one that was half written."""
    lines: list[dict[str, Any]] = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            break
    return lines
