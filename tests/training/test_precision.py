"""Products in half the bits, where a stage or the launch says so."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import torch

from hearten.training.loop import train
from hearten.training.processes import Processes
from hearten.training.settings import Precision, recipe


@pytest.mark.parametrize(
    ("precision", "dtype"), [("bf16", torch.bfloat16), ("full", torch.float32), (None, torch.float32)]
)
def test_products_have_the_precision_that_is_asked_for(precision: Precision | None, dtype: torch.dtype) -> None:
    with Processes().computing(precision):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == dtype


def test_a_stage_computes_in_its_precision_and_keeps_whole_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[str | None] = set()
    before = Processes.computing

    def noted(self: Processes, precision: Precision | None) -> AbstractContextManager[Any]:
        asked.add(precision)
        return before(self, precision)

    monkeypatch.setattr(Processes, "computing", noted)
    place = train(recipe("rashkin", "tiny", ["stage.0.steps=2", "stage.0.precision=bf16"]), tmp_path / "half")
    assert asked == {"bf16"}
    from hearten.artifacts import folder

    kept = [array for name, array in folder.read_tensors(place / folder.WEIGHTS).items() if name.startswith("network.")]
    assert {array.dtype.name for array in kept} == {"float32"}
