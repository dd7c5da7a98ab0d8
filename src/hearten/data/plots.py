"""Pictures of a corpus: label distribution, utterance lengths, and the words typical of each emotion."""

from pathlib import Path

from hearten.data.statistics import CorpusStatistics
from hearten.errors import MissingExtra
from hearten.taxonomy import BY_NAME

try:
    from matplotlib import rc_context
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
except ImportError:
    raise MissingExtra("drawing plots") from None

INK, QUIET, PAPER = "#2b2b33", "#8a8a94", "#ffffff"
SPLIT_COLOURS = ("#3f5f8a", "#e0a030", "#58a68c", "#c77dba", "#c0392b", "#7a6bb0", "#8c5a6b")
STYLE = {
    "font.size": 10,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": INK,
    "svg.hashsalt": "hearten",  # the same figures give the same file
}


def write_plots(statistics: CorpusStatistics, folder: Path) -> list[Path]:
    """Draw what there is to draw, each as PNG and SVG, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with rc_context(STYLE):
        figures = {"lengths": length_figure(statistics)}
        if any(figures_of.labels or figures_of.turn_labels for figures_of in statistics.splits.values()):
            figures["labels"] = label_figure(statistics)
        if any(statistics.top_words.values()):
            figures["words"] = word_figure(statistics)
        return [path for name, figure in figures.items() for path in _save(figure, folder / name)]


def _save(figure: Figure, stem: Path) -> list[Path]:
    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    figure.savefig(paths[0], dpi=150, facecolor=PAPER)
    figure.savefig(paths[1], facecolor=PAPER, metadata={"Date": None})
    return paths


def label_figure(statistics: CorpusStatistics) -> Figure:
    """Draw how often each label occurs over all splits: labels of dialogues, or else of turns."""
    splits = statistics.splits.values()
    of_items = any(figures.labels for figures in splits)
    counts: dict[str, int] = {}
    for figures in splits:
        for label, count in (figures.labels if of_items else figures.turn_labels).items():
            counts[label] = counts.get(label, 0) + count
    ordered = sorted(counts.items(), key=lambda pair: pair[1])
    figure = Figure(figsize=(8, 1.2 + 0.25 * len(ordered)), layout="constrained")
    axes = figure.add_subplot()
    axes.barh([label for label, _ in ordered], [n for _, n in ordered], color=[_colour(label) for label, _ in ordered])
    _annotate(axes, [n for _, n in ordered])
    unit = statistics.unit if of_items else "turns"
    _title(axes, f"Labels in {statistics.name}", f"{sum(counts.values()):,} {unit}, {len(statistics.splits)} splits")
    return figure


def _annotate(axes: Axes, counts: list[int]) -> None:
    total = sum(counts)
    for position, count in enumerate(counts):
        axes.annotate(
            f"{count:,}  ({count / total:.1%})", (count, position), (4, 0), textcoords="offset points", va="center",
            fontsize=8, color=QUIET,
        )  # fmt: skip
    axes.set_xlim(0, max(counts) * 1.16)
    axes.set_ylim(-0.7, len(counts) - 0.3)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(axis="both", length=0)
    axes.set_xticks([])


def length_figure(statistics: CorpusStatistics) -> Figure:
    """Draw the share of utterances by number of words, one line a split; the longest hundredth is cut off."""
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.add_subplot()
    end = max((_quantile(figures.lengths, 0.99) for figures in statistics.splits.values()), default=1)
    for number, (split, figures) in enumerate(statistics.splits.items()):
        shares = [figures.lengths.get(words, 0) / max(1, figures.utterances) for words in range(end + 1)]
        colour = SPLIT_COLOURS[number % len(SPLIT_COLOURS)]
        label = f"{split}: {figures.utterances:,} utterances, mean {figures.words_per_utterance:.1f}"
        axes.step(range(end + 1), shares, where="mid", color=colour, linewidth=1.6, label=label)
        if number == 0:
            axes.fill_between(range(end + 1), shares, step="mid", color=colour, alpha=0.12)
    axes.set_xlim(0, end)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.1%}")
    axes.set_xlabel("words in an utterance")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e6ea", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    _title(axes, f"Utterance length in {statistics.name}", "share of utterances; the longest 1% are not shown")
    return figure


def _quantile(lengths: dict[int, int], share: float) -> int:
    reached, total = 0, sum(lengths.values())
    for length, count in sorted(lengths.items()):
        reached += count
        if reached >= share * total:
            return length
    return 1


def word_figure(statistics: CorpusStatistics) -> Figure:
    """Draw a table of the words typical of each label, best first."""
    rows = [(label, words) for label, words in statistics.top_words.items() if words]
    longest = max(len(words) for _, words in rows)
    figure = Figure(figsize=(10, 1.1 + 0.27 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for number, (label, words) in enumerate(rows):
        if number % 2 == 0:
            axes.axhspan(number - 0.5, number + 0.5, color="#f5f5f8", linewidth=0)
        axes.add_patch(Rectangle((0, number - 0.5), 0.006, 1, color=_colour(label), linewidth=0))
        axes.text(0.016, number, label, va="center", fontweight="bold")
        for column, word in enumerate(words):
            axes.text(0.17 + 0.83 * column / longest, number, word, va="center", fontsize=9)
    _title(axes, f"Words typical of each label in {statistics.name}", "log-odds with an informative prior, best first")
    return figure


def _colour(label: str) -> str:
    return BY_NAME[label].colour if label in BY_NAME else SPLIT_COLOURS[0]


def _title(axes: Axes, title: str, subtitle: str) -> None:
    axes.set_title(f"{title}\n", loc="left", fontsize=13, fontweight="bold")
    axes.annotate(subtitle, (0, 1), (0, 6), "axes fraction", "offset points", color=QUIET, fontsize=9)
