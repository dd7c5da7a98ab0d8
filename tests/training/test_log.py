"""The log of a run."""

import json
from pathlib import Path

from hearten.training.log import Log, Look, Step, cut, read


def step(number: int, stage: int = 0) -> Step:
    return Step(stage, number, 0, 1.5, {"reply": 1.5}, {"reply": 8}, 0.1, 2.0, 40, 0.25)


def test_steps_and_looks_are_lines_with_a_kind(tmp_path: Path) -> None:
    with Log(tmp_path / "log.jsonl", tmp_path / "events", 0, 0) as log:
        log.step(step(1))
        log.look(Look(0, 1, 2.0, {"reply": 2.0}, True))
    lines = read(tmp_path / "log.jsonl")
    assert [line["kind"] for line in lines] == ["step", "validation"]
    assert lines[0]["loss"] == 1.5 and lines[1]["is_best"]
    assert any((tmp_path / "events").iterdir())


def test_a_log_opened_at_a_checkpoint_forgets_what_came_after(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with Log(path, tmp_path / "events", 0, 0) as log:
        for line in (step(1), step(2), step(1, stage=1), step(2, stage=1)):
            log.step(line)
    with Log(path, tmp_path / "events", 1, 1) as log:
        log.step(step(2, stage=1))
    assert [(line["stage"], line["step"]) for line in read(path)] == [(0, 1), (0, 2), (1, 1), (1, 2)]


def test_a_line_that_was_half_written_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"kind": "step", "stage": 0, "step": 1}) + '\n{"kind": "st')
    assert len(cut(path, 0, 9)) == 1
    assert len(path.read_text().splitlines()) == 1
