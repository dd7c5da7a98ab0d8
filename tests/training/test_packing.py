"""A run as a small file: made again it says the same, and what does not fit is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from hearten.artifacts import folder
from hearten.engines import delta as deltas
from hearten.errors import UserError
from hearten.training import packing
from hearten.training.loop import train
from hearten.training.settings import recipe


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packing") / "model"
    return train(recipe("plainlm", "tiny", ["stage.0.steps=4"]), place)


@pytest.fixture(scope="module")
def packed(trained: Path) -> Path:
    path = trained.with_name("packed.safetensors")
    packing.pack(trained, path, megabytes=4.0)
    return path


def weights(place: Path) -> dict[str, np.ndarray]:
    return folder.load(place).tensors()


def test_a_run_is_made_again_from_its_recipe_and_what_it_learned(trained: Path, packed: Path, tmp_path: Path) -> None:
    again = packing.unpack(packed, tmp_path / "again")
    assert folder.read_origin(again) == folder.read_origin(trained)
    before, after = weights(trained), weights(again)
    assert before.keys() == after.keys()
    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=2e-3, err_msg=name)


def test_less_room_loses_more(trained: Path, tmp_path: Path) -> None:
    small = sum(array.nbytes for array in weights(trained).values() if array.size <= packing.SMALL) / 1e6
    little, much = (packing.pack(trained, tmp_path / "packed", small + room) for room in (0.02, 4.0))
    assert sum(one.error for one in little) > 0.1 > sum(one.error for one in much)


def test_a_file_too_small_for_the_least_says_so(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--megabytes"):
        packing.pack(trained, tmp_path / "packed", 0.01)


def test_small_weights_are_kept_to_the_last_digit(trained: Path, packed: Path, tmp_path: Path) -> None:
    small = {name: array for name, array in weights(trained).items() if array.size <= packing.SMALL}
    after = weights(packing.unpack(packed, tmp_path / "again"))
    assert small
    for name, array in small.items():
        np.testing.assert_array_equal(after[name], array)


def test_other_weights_to_begin_with_are_refused(packed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    deltas.save(deltas.load(packed), "0" * 64, other, origin=deltas.about(packed)["origin"])
    with pytest.raises(UserError, match="on top of other weights"):
        packing.unpack(other, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_another_processor_may_round_but_not_learn(packed: Path, tmp_path: Path) -> None:
    about = deltas.about(packed)
    marks = json.loads(about["marks"])

    def told(change: float) -> Path:
        said = json.dumps({name: mark + change for name, mark in marks.items()})
        deltas.save(deltas.load(packed), "0" * 64, tmp_path / "told", origin=about["origin"], marks=said)
        return tmp_path / "told"

    assert marks
    packing.unpack(told(1e-6), tmp_path / "rounded")
    with pytest.raises(UserError, match="on top of other weights"):
        packing.unpack(told(0.1), tmp_path / "learned")


def test_a_delta_that_is_no_run_is_refused(packed: Path, tmp_path: Path) -> None:
    deltas.save(deltas.load(packed), "0" * 64, tmp_path / "delta")
    with pytest.raises(UserError, match="hearten models pack"):
        packing.unpack(tmp_path / "delta", tmp_path / "again")


def test_what_does_not_learn_cannot_be_packed(tmp_path: Path) -> None:
    place = train(recipe("bm25", "tiny"), tmp_path / "bm25")
    with pytest.raises(UserError, match="nothing to pack"):
        packing.pack(place, tmp_path / "packed", 1.0)


def test_a_run_that_went_on_is_packed_with_what_came_before(trained: Path, tmp_path: Path) -> None:
    onwards = ["stage.0.steps=3", "seed=1", f"system.start={trained}"]
    later = train(recipe("plainlm", "tiny", onwards), tmp_path / "later")
    packing.pack(later, tmp_path / "packed", megabytes=4.0)
    again = packing.unpack(tmp_path / "packed", tmp_path / "again")
    origin = folder.read_origin(again)
    assert origin.settings["start"] is None
    assert [stage["steps"] for stage in origin.stages] == [4, 3]
    before, after = weights(later), weights(again)
    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=2e-3, err_msg=name)


def test_a_run_can_go_on_from_a_packed_one_and_holds_only_what_it_added(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SMALL", 1000)
    first = tmp_path / "first.safetensors"
    packing.pack(trained, first, megabytes=4.0)
    adapters = ["stage.0.lora_rank=2", 'stage.0.lora_targets=["q_proj", "v_proj"]']
    onwards = ["stage.0.steps=3", "seed=1", f"system.start={first}", *adapters]
    later = train(recipe("plainlm", "tiny", onwards), tmp_path / "later")
    packing.pack(later, tmp_path / "second.safetensors", megabytes=4.0)
    added = {name.partition(".weight")[0] for name in deltas.load(tmp_path / "second.safetensors") if "proj" in name}
    assert added
    assert all(name.endswith(("q_proj", "v_proj")) for name in added)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for path in (first, tmp_path / "second.safetensors"):
        path.rename(moved / path.name)
    before, after = weights(later), weights(packing.unpack(moved / "second.safetensors", tmp_path / "again"))
    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=2e-3, err_msg=name)


def test_a_packed_run_that_went_on_from_a_missing_one_says_which(packed: Path, tmp_path: Path) -> None:
    about = deltas.about(packed)
    origin = json.loads(about["origin"])
    origin["settings"]["start"] = "gone.safetensors"
    lonely = tmp_path / "lonely.safetensors"
    deltas.save(deltas.load(packed), about["base"], lonely, origin=json.dumps(origin))
    with pytest.raises(UserError, match="gone"):
        packing.unpack(lonely, tmp_path / "again")
