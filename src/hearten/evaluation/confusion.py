"""Which emotions are taken for which: a 32 x 32 heat map in an order that puts confusable ones together."""

from collections.abc import Sequence

import numpy as np

from hearten.errors import MissingExtra, UserError
from hearten.system import Array

try:
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering  # type: ignore[import-untyped]
except ImportError:
    raise MissingExtra("drawing plots") from None

INK, PAPER = "#263238", "#ffffff"
DARK = 0.4
"""Share of the largest cell from which the ink is white."""
WRITTEN = 8
"""Percent from which a cell's number is written."""


def confusions(read: Sequence[str | None], gold: Sequence[str | None], labels: Sequence[str]) -> Array:
    """Count how often each gold label (row) was read as each label (column)."""
    place = {label: number for number, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)))
    for guess, truth in zip(read, gold, strict=True):
        if guess in place and truth in place:
            counts[place[truth], place[guess]] += 1
    return counts


def likeness_order(counts: Array) -> list[int]:
    """Order labels so that those often taken for one another stand together: leaves of a tree, in the best order.

    Bar-Joseph et al. 2001, "Fast optimal leaf ordering for hierarchical clustering".
    """
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    distances = 1 - (shares + shares.T) / 2
    between = distances[np.triu_indices(len(counts), 1)]
    return [int(leaf) for leaf in leaves_list(optimal_leaf_ordering(linkage(between, "average"), between))]


def heat_map(counts: Array, labels: Sequence[str], title: str) -> Figure:
    """Draw the share of each gold label (row) that was read as each label (column), in percent."""
    if not counts.sum():
        raise UserError("there is nothing to draw: no example has both an emotion and a reading of it")
    order = likeness_order(counts)
    shares = 100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shown = shares[np.ix_(order, order)]
    names = [labels[number] for number in order]
    figure = Figure(figsize=(11, 10), layout="constrained")
    axis = figure.subplots()
    # small confusions are what one looks for; a square root of the share makes them visible beside the diagonal
    image = axis.imshow(shown, cmap="YlGnBu", norm=PowerNorm(0.5, 0, max(1.0, shown.max())))
    axis.set_xticks(range(len(names)), names, rotation=90)
    axis.set_yticks(range(len(names)), names)
    axis.set(xlabel="read as", ylabel="is")
    axis.set_title(title, loc="left", color=INK)
    axis.tick_params(length=0, labelsize=9)
    axis.spines[:].set_visible(False)
    for row, column in np.argwhere(shown >= WRITTEN):
        colour = PAPER if shown[row, column] > DARK * shown.max() else INK
        axis.text(column, row, f"{shown[row, column]:.0f}", ha="center", va="center", fontsize=7, color=colour)
    figure.colorbar(image, ax=axis, shrink=0.6, label="percent of the row")
    return figure
