"""The pictures of a folder: a model's learning curve, a result's confusions. For `hearten show --plot`."""

from pathlib import Path
from typing import Any

from hearten.errors import UserError
from hearten.evaluation import records, report
from hearten.evaluation.target import read_gold
from hearten.taxonomy import EMOTIONS

LOG = "log.jsonl"


def draw(place: Path, folder: Path) -> list[Path]:
    """Draw what a model folder, a run under way or a results folder has to show, as PNG and SVG; return the files."""
    figures: dict[str, Any] = {}
    if (place / LOG).is_file():
        from hearten.training.plots import learning_curve

        figures["learning-curve"] = learning_curve(place / LOG)
    if (place / report.PREDICTIONS).is_file():
        figures["confusions"] = confusion_figure(place)
    if not figures:
        raise UserError(f"{place} has neither a training log nor predictions; name a model or a results folder")
    folder.mkdir(parents=True, exist_ok=True)
    return [path for name, figure in figures.items() for path in _save(figure, folder / name)]


def confusion_figure(place: Path) -> Any:
    """Draw which emotions a result took for which."""
    from hearten.evaluation.confusion import confusions, heat_map

    result = report.read(place)
    found = {prediction.id: prediction.emotion for prediction in records.read(place / report.PREDICTIONS)}
    gold = [one for one in read_gold(result.run.corpus, result.run.split).examples if one.id in found]
    counts = confusions([found[one.id] for one in gold], [one.emotion for one in gold], EMOTIONS)
    return heat_map(counts, EMOTIONS, f"{result.run.title} on {result.run.corpus}, {result.run.split}")


def _save(figure: Any, stem: Path) -> list[Path]:
    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    figure.savefig(paths[0], dpi=150)
    figure.savefig(paths[1], metadata={"Date": None})
    return paths
