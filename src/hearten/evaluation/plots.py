"""Pictures of a comparison: a dot with its interval per system, one panel per headline measure, in one HTML page."""

import html
import io
import math
from collections.abc import Sequence
from typing import Any

from hearten.errors import MissingExtra
from hearten.evaluation.compare import NOTES, Comparison, Row, entry
from hearten.evaluation.report import digits, published, titles

COLUMNS = 3
COLOURS = ("#2e6f95", "#d9734e", "#58a68c", "#7a6bb0", "#c9a227", "#8c5a6b", "#54708c", "#96281b")
INK, GRID = "#263238", "#e3e8eb"
ARROWS = {"higher": "higher is better →", "lower": "← lower is better", "neither": ""}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #263238; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }}
svg {{ max-width: 100%; height: auto }} .wide {{ overflow-x: auto }}
table {{ border-collapse: collapse; font-size: .9rem }} caption {{ text-align: left; padding: .5rem 0 }}
th, td {{ text-align: left; padding: .35rem .8rem; border-bottom: 1px solid #e3e8eb }} tbody th {{ font-weight: 600 }}
tbody tr:hover {{ background: #f4f7f8 }} small {{ color: #54636b; font-weight: 400 }}
</style></head><body>
<h1>{title}</h1>
<figure role="img" aria-label="Headline measures with intervals; the table below has the same numbers">{plot}</figure>
<div class="wide"><table>
<caption>{notes}</caption>
<thead><tr><th>metric</th>{head}</tr></thead><tbody>
{body}
</tbody></table></div></body></html>
"""


def page(comparison: Comparison) -> str:
    """Write a comparison as one self-contained HTML page."""
    run = comparison.results[0].run
    names = titles(comparison.results)
    return PAGE.format(
        title=html.escape(f"{len(names)} systems on {run.corpus}, {run.split}"),
        plot=svg(comparison),
        notes=html.escape(NOTES),
        head="".join(f"<th>{html.escape(title)}</th>" for title in names),
        body="\n".join(_row(row) for row in comparison.rows),
    )


def _row(row: Row) -> str:
    cells = "".join(
        f"<td>{html.escape(entry(score, difference))}</td>"
        for score, difference in zip(row.scores, row.differences, strict=True)
    )
    return f"<tr><th>{html.escape(row.metric)}<br><small>{html.escape(row.signature)}</small></th>{cells}</tr>"


def svg(comparison: Comparison) -> str:
    """Draw the headline measures as an SVG element; the same comparison gives the same text."""
    buffer = io.StringIO()
    draw(comparison).savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def headlines(comparison: Comparison) -> list[Row]:
    """Pick the headline measures that at least one system has."""
    wanted = published().columns
    return sorted((row for row in comparison.rows if row.metric in wanted), key=lambda row: wanted.index(row.metric))


def draw(comparison: Comparison) -> Any:
    """Return the matplotlib figure of the headline measures."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtra("drawing") from None
    matplotlib.rcParams.update({"svg.hashsalt": "hearten", "font.family": "DejaVu Sans", "font.size": 9})
    shown = headlines(comparison)
    names = titles(comparison.results)
    across = min(COLUMNS, max(1, len(shown)))
    down = max(1, math.ceil(len(shown) / across))
    size = (2.0 + 3.1 * across, 0.35 + down * (0.95 + 0.32 * len(names)))
    figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1))
    axes = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
    for axis, row in zip(axes, shown, strict=False):
        _panel(axis, row, names)
    for axis in axes[len(shown) :]:
        axis.set_axis_off()
    return figure


def _panel(axis: Any, row: Row, names: Sequence[str]) -> None:
    for place, score in enumerate(row.scores):
        if score is None:
            axis.text(0.02, place, "not measured", transform=axis.get_yaxis_transform(), va="center", color="#90a0a8")
            continue
        colour = COLOURS[place % len(COLOURS)]
        axis.hlines(place, score.low, score.high, color=colour, linewidth=3, alpha=0.45)
        axis.plot(score.value, place, "o", color=colour, markersize=7, markeredgecolor="white")
        axis.annotate(digits(score.value), (score.value, place), (0, 6), textcoords="offset points", ha="center")
    better = next(score.better for score in row.scores if score is not None)
    axis.set_title(row.metric, loc="left", fontweight="bold", color=INK)
    axis.set_title(ARROWS[better], loc="right", fontsize=7, color="#607078")
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.4, -0.75)
    axis.margins(x=0.12)
    axis.grid(axis="x", color=GRID)
    axis.set_axisbelow(True)
    axis.tick_params(length=0, colors=INK)
    axis.spines[:].set_visible(False)
