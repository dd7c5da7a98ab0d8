"""The mean of the weights of several runs."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from hearten.artifacts import folder
from hearten.errors import UserError
from hearten.training.averaging import average
from hearten.training.build import build
from hearten.training.settings import recipe


def made(place: Path, seed: int, hidden: int = 64) -> Path:
    system, origin = build(recipe("plainlm", "tiny", [f"seed={seed}", f"system.scratch.hidden={hidden}"]))
    return folder.save(system, origin, place)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("runs")
    return [made(place / str(seed), seed) for seed in (0, 1)]


@pytest.mark.parametrize(("shares", "first"), [((), 0.5), ((3.0, 1.0), 0.75)])
def test_each_weight_is_the_mean_by_shares(
    runs: list[Path], tmp_path: Path, shares: tuple[float], first: float
) -> None:
    place = average(runs, tmp_path / "mean", shares)
    one, other, mean = (load_file(run / folder.WEIGHTS) for run in (*runs, place))
    assert any(not np.allclose(one[name], other[name]) for name in one)
    for name in mean:
        np.testing.assert_allclose(mean[name], first * one[name] + (1 - first) * other[name], atol=1e-6, err_msg=name)
    assert folder.load(place).reply(()) is not None


def test_models_of_different_shapes_have_no_mean(runs: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="one shape"):
        average([runs[0], made(tmp_path / "wide", 0, hidden=32)], tmp_path / "mean")


@pytest.mark.parametrize(("count", "shares"), [(1, ()), (2, (1.0,)), (2, (0.0, 0.0)), (2, (2.0, -1.0))])
def test_shares_that_make_no_mean_are_refused(
    runs: list[Path], tmp_path: Path, count: int, shares: tuple[float, ...]
) -> None:
    with pytest.raises(UserError, match="a share for each"):
        average(runs[:count], tmp_path / "mean", shares)


def test_what_does_not_learn_has_no_mean(tmp_path: Path) -> None:
    system, origin = build(recipe("bm25", "tiny"))
    places = [folder.save(system, origin, tmp_path / name) for name in ("one", "two")]
    with pytest.raises(UserError, match="nothing to average"):
        average(places, tmp_path / "mean")
