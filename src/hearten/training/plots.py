"""The learning curve of a run: smoothed training loss, validation looks and the learning rate, from its log."""

from pathlib import Path
from typing import Any

import numpy as np

from hearten.errors import MissingExtra, UserError
from hearten.system import Array
from hearten.training.log import read

try:
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra("drawing plots") from None

INK, TRAIN, LOOK, RATE = "#263238", "#2e6f95", "#d9734e", "#90a0a8"
SHARE = 0.02
"""Share of the steps that the smoothed line averages over."""


def learning_curve(log: Path) -> Figure:
    """Draw the log of a run; stages follow one another, with a line between them."""
    lines = read(log)
    steps = [line for line in lines if line["kind"] == "step"]
    if not steps:
        raise UserError(f"{log} has no training steps to draw")
    figure = Figure(figsize=(8, 5), layout="constrained")
    losses, rates = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    _losses(losses, lines, steps)
    rates.plot(range(1, len(steps) + 1), [line["lr"] for line in steps], color=RATE)
    rates.set(xlabel="optimiser step", ylabel="rate")
    for axis in (losses, rates):
        axis.grid(color="#e3e8eb")
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def _losses(axis: Any, lines: list[dict[str, Any]], steps: list[dict[str, Any]]) -> None:
    train = np.array([line["loss"] for line in steps])
    numbers = np.arange(1, len(train) + 1)
    axis.plot(numbers, train, color=TRAIN, alpha=0.2, linewidth=0.7)
    axis.plot(numbers, smooth(train), color=TRAIN, linewidth=2, label="training loss, smoothed")
    begins = np.flatnonzero(np.diff([line["stage"] for line in steps]) > 0) + 1
    for begin in begins:
        axis.axvline(begin, color=INK, linestyle=":", linewidth=1)
    looks = _looks(lines)
    if looks:
        axis.plot(*zip(*looks, strict=True), "o-", color=LOOK, markersize=5, label="validation loss")
        best = min(looks, key=lambda look: look[1])
        axis.annotate(f"{best[1]:.3f}", best, (0, -14), textcoords="offset points", ha="center", color=LOOK)
    axis.set_ylabel("loss")
    axis.legend(frameon=False)


def _looks(lines: list[dict[str, Any]]) -> list[tuple[int, float]]:
    """Return each look at the validation loss with the number of steps that had been taken in all stages."""
    looks, taken = [], 0
    for line in lines:
        if line["kind"] == "step":
            taken += 1
        else:
            looks.append((taken, float(line["loss"])))
    return looks


def smooth(values: Array) -> Array:
    """Return a running mean, over fewer values near the ends."""
    width = max(1, round(SHARE * len(values))) | 1  # odd, so that it has a middle
    window = np.ones(width)
    return np.asarray(np.convolve(values, window, "same") / np.convolve(np.ones(len(values)), window, "same"))
