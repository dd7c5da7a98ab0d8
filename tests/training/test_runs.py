"""Whole runs of the tiny preset: killed, resumed, in two processes, in a folder that is taken."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from hearten.errors import UserError
from hearten.training.log import read
from hearten.training.loop import default_place, train
from hearten.training.settings import Recipe, recipe

DROPOUT = "system.scratch.dropout=0.2"
SHORT = ["stage.0.steps=4", "stage.0.batch_tokens=256", "stage.0.evaluate_limit=8"]
DRIVER = """
import sys
from pathlib import Path
from accelerate import PartialState
from hearten.training.loop import train
from hearten.training.settings import recipe

train(recipe("plainlm", "tiny", sys.argv[2:]), Path(sys.argv[1]))
Path(f"{sys.argv[1]}.{PartialState().process_index}").write_text(str(PartialState().num_processes))
"""


def tiny(*overrides: str) -> Recipe:
    return recipe("plainlm", "tiny", list(overrides))


def curve(folder: Path) -> list[Any]:
    """All that a log says, timings aside."""
    lines = read(folder / "log.jsonl")
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def test_a_killed_run_goes_on_to_the_same_curve_and_the_same_weights(tmp_path: Path) -> None:
    overrides = [DROPOUT, "stage.0.steps=40", "stage.0.evaluate_every=12", "stage.0.checkpoint_every=5"]
    whole = train(tiny(*overrides), tmp_path / "whole")
    place = tmp_path / "killed"
    run = subprocess.Popen([sys.executable, "-c", DRIVER, str(place), *overrides], stderr=subprocess.DEVNULL)
    log = tmp_path / "killed.training" / "log.jsonl"
    kill_after(run, log, step=14)
    assert not place.exists()
    assert 14 <= len(read(log)) < 40
    assert train(tiny(*overrides), place) == place
    assert curve(place) == curve(whole)
    assert (place / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert not log.parent.exists()


def kill_after(run: "subprocess.Popen[bytes]", log: Path, step: int) -> None:
    """Kill a run without warning as soon as its log shows a step."""
    until = time.monotonic() + 120
    while sum(line["kind"] == "step" for line in read(log)) < step:
        assert run.poll() is None and time.monotonic() < until
        time.sleep(0.005)
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL


def test_two_processes_learn_what_one_learns(tmp_path: Path) -> None:
    overrides = [*SHORT, DROPOUT, "stage.0.microbatches=3"]
    alone = train(tiny(*overrides), tmp_path / "alone")
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)
    # --multi_gpu is Accelerate's word for "several processes"; without a GPU they talk through gloo.
    launch = "-m accelerate.commands.launch --multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no"
    options = [*launch.split(), "--dynamo_backend", "no", "--main_process_port", "0"]
    command = [sys.executable, *options, str(driver), str(tmp_path / "both"), *overrides]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / f"both.{process}").read_text() for process in (0, 1)] == ["2", "2"]
    one, two = curve(alone), curve(tmp_path / "both")
    assert [line["counts"] for line in two if line["kind"] == "step"] == [
        line["counts"] for line in one if line["kind"] == "step"
    ]
    np.testing.assert_allclose([line["loss"] for line in two], [line["loss"] for line in one], rtol=1e-5)
    weights = load_file(alone / "model.safetensors")
    for name, array in load_file(tmp_path / "both" / "model.safetensors").items():
        np.testing.assert_allclose(array, weights[name], atol=2e-4, err_msg=name)


def test_stages_run_one_after_the_other_with_adapters_merged_between(tmp_path: Path) -> None:
    chosen = tiny(*SHORT)
    second = chosen.stages[0].model_copy(update={"lora_rank": 2, "lora_targets": ("q_proj",), "lr": 0.1})
    place = train(chosen.model_copy(update={"stages": (chosen.stages[0], second)}), tmp_path / "two")
    assert [line["stage"] for line in curve(place) if line["kind"] == "step"] == [0] * 4 + [1] * 4
    first = load_file(train(chosen, tmp_path / "one") / "model.safetensors")
    both = load_file(place / "model.safetensors")
    changed = {name for name, array in both.items() if not np.array_equal(array, first[name])}
    assert changed == {f"model.layers.{layer}.self_attn.q_proj.weight" for layer in (0, 1)}


def test_a_finished_run_is_not_repeated_unless_asked(tmp_path: Path) -> None:
    place = train(tiny(*SHORT), tmp_path / "model")
    written = (place / "config.json").stat().st_mtime_ns
    assert train(tiny(*SHORT), place) == place
    assert (place / "config.json").stat().st_mtime_ns == written
    train(tiny(*SHORT), place, resume=False)
    assert (place / "config.json").stat().st_mtime_ns != written


def test_a_folder_of_another_recipe_is_an_error_that_names_the_difference(tmp_path: Path) -> None:
    place = train(tiny(*SHORT), tmp_path / "model")
    with pytest.raises(UserError, match=r"stage.0.lr: 0.01 -> 0.001\n.*--out.*--fresh"):
        train(tiny(*SHORT, "stage.0.lr=1e-3"), place)


def test_a_run_under_way_of_another_recipe_is_an_error_too(tmp_path: Path) -> None:
    (tmp_path / "model.training").mkdir()
    (tmp_path / "model.training" / "recipe.json").write_text(json.dumps({"seed": 5}))
    with pytest.raises(UserError, match="seed: 5 -> 0"):
        train(tiny(*SHORT), tmp_path / "model")


@pytest.mark.parametrize("resume", [True, False])
def test_a_folder_that_is_no_model_is_never_written_over(tmp_path: Path, resume: bool) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="not a model folder"):
        train(tiny(*SHORT), tmp_path, resume)
    assert (tmp_path / "thesis.txt").exists()


def test_runs_are_named_by_everything_that_was_set() -> None:
    name = default_place(tiny()).name
    assert name.startswith("plainlm-tiny-") and len(name) == len("plainlm-tiny-") + 8
    assert default_place(tiny("seed=1")).name != name
    assert default_place(tiny()).name == name


def test_a_system_that_does_not_train_is_saved_as_prepared(tmp_path: Path) -> None:
    place = train(recipe("bm25", "tiny"), tmp_path / "bm25")
    assert (place / "config.json").is_file()
    assert not (tmp_path / "bm25.training").exists()


def test_training_leaves_arithmetic_as_it_was(tmp_path: Path) -> None:
    train(recipe("plainlm", "tiny", ["stage.0.steps=1"]), tmp_path / "model")
    assert sys.float_info.min / 2 > 0, "subnormal numbers are still taken for nothing"
