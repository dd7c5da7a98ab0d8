"""Progress for the person who waits: a bar with loss, speed and time left, on stderr."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hearten.training.log import Look, Step


class Bar:
    """One bar per stage."""

    def __init__(self, is_shown: bool) -> None:
        self._console = Console(stderr=True, quiet=not is_shown)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.3f}  {task.fields[speed]:.0f} tokens/s"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=self._console, disable=not is_shown)
        self._tokens, self._seconds = 0, 0.0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def stage(self, title: str, total: int, done: int) -> None:
        """Begin a stage, some steps of which may be done already."""
        for task in self._bar.task_ids:
            self._bar.update(task, visible=False)
        self._task = self._bar.add_task(title, total=total, completed=done, loss=float("nan"), speed=0.0)
        self._tokens, self._seconds = 0, 0.0

    def step(self, line: Step) -> None:
        """Show a step."""
        self._tokens += line.tokens
        self._seconds += line.seconds
        speed = self._tokens / max(self._seconds, 1e-9)
        self._bar.update(self._task, completed=line.step, loss=line.loss, speed=speed)

    def look(self, line: Look) -> None:
        """Say a validation loss, also where no bar can be drawn."""
        best = " (best so far)" if line.is_best else ""
        self._console.print(f"stage {line.stage} step {line.step}: validation loss {line.loss:.4f}{best}")
