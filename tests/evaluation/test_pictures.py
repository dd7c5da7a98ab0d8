"""Pictures: the order of confusable emotions, the learning curve, and the files drawn for a folder."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.evaluation.confusion import confusions, heat_map, likeness_order
from hearten.evaluation.job import Job, evaluate_target
from hearten.evaluation.pictures import draw
from hearten.training.plots import learning_curve, smooth


def test_rows_are_gold_and_columns_are_read() -> None:
    counts = confusions(["a", "b", "b", None], ["a", "a", "c", "a"], ["a", "b", "c"])
    assert counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 1, 0]]


def test_labels_taken_for_one_another_stand_together() -> None:
    chain = [3, 0, 4, 1, 2]  # each confused with the next
    counts = np.eye(5) * 10
    for first, second in pairwise(chain):
        counts[first, second] = counts[second, first] = 4
    assert likeness_order(counts) in (chain, chain[::-1])


def test_nothing_cannot_be_drawn() -> None:
    with pytest.raises(UserError, match="nothing to draw"):
        heat_map(np.zeros((3, 3)), "abc", "")


def test_smoothing_keeps_a_constant_and_a_mean() -> None:
    assert smooth(np.full(500, 3.0)) == pytest.approx(3.0)
    assert smooth(np.arange(500.0))[250] == pytest.approx(250)


def log(path: Path, stages: int = 2) -> Path:
    lines = []
    for stage in range(stages):
        for step in range(1, 6):
            lines.append({"kind": "step", "stage": stage, "step": step, "loss": 5.0 - step, "lr": 0.1})
        lines.append({"kind": "validation", "stage": stage, "step": 5, "loss": 2.0 - stage, "is_best": True})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_stages_follow_one_another(tmp_path: Path) -> None:
    losses = learning_curve(log(tmp_path / "log.jsonl")).axes[0]
    looks = next(line for line in losses.lines if line.get_label() == "validation loss")
    assert looks.get_xydata().tolist() == [[5, 2], [10, 1]]


def test_a_log_without_steps_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no training steps"):
        learning_curve(log(tmp_path / "log.jsonl", stages=0))


def test_a_result_gets_its_heat_map_and_a_run_its_curve(gold: list[Example], tmp_path: Path) -> None:
    result = evaluate_target("tfidf", "tiny", Job("sample", "test", metrics=["emotion"], out=tmp_path / "result"))
    log(result.folder / "log.jsonl")
    names = {path.name for path in draw(result.folder, tmp_path / "pictures")}
    assert names == {f"{stem}.{kind}" for stem in ("confusions", "learning-curve") for kind in ("png", "svg")}
    assert all((tmp_path / "pictures" / name).stat().st_size > 1000 for name in names)


def test_a_folder_with_nothing_to_draw_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="neither a training log nor predictions"):
        draw(tmp_path, tmp_path / "pictures")
