"""Deltas: what they keep of a change, what they cost, and what they refuse."""

from pathlib import Path

import numpy as np
import pytest

from hearten.engines import delta as deltas
from hearten.errors import UserError
from hearten.system import Array

SIZES = {"embedding": (400, 24), "up": (48, 24), "down": (24, 48), "square": (24, 24), "norm": (24,)}


def weights(seed: int) -> dict[str, Array]:
    dice = np.random.default_rng(seed)
    return {name: dice.normal(0, 0.1, size).astype(np.float32) for name, size in SIZES.items()}


BASE = weights(0)
TUNED = {name: array + change for (name, array), change in zip(BASE.items(), weights(1).values(), strict=True)}


def missing(delta: dict[str, Array]) -> float:
    made = deltas.apply(BASE, delta)
    return float(sum(np.sum((made[name] - TUNED[name]) ** 2) for name in BASE) ** 0.5)


def size(delta: dict[str, Array]) -> int:
    return sum(array.nbytes for array in delta.values())


def test_all_directions_in_float16_give_the_tuned_weights_back() -> None:
    made = deltas.apply(BASE, deltas.extract(BASE, TUNED, storage="float16"))
    for name, array in TUNED.items():
        np.testing.assert_allclose(made[name], array, atol=1e-3)


def test_a_larger_budget_misses_less_and_is_kept_to() -> None:
    budgets = [0.002, 0.004, 0.008, 0.012]
    made = [deltas.extract(BASE, TUNED, megabytes=budget) for budget in budgets]
    errors = [missing(delta) for delta in made]
    assert errors == sorted(errors, reverse=True) and len(set(errors)) == len(errors)
    assert all(0.9 * budget < size(delta) / 1e6 <= budget for budget, delta in zip(budgets, made, strict=True))


def test_vectors_that_stayed_as_they_were_take_no_room() -> None:
    still = TUNED | {"norm": BASE["norm"]}
    assert "norm.whole" in deltas.extract(BASE, TUNED)
    delta = deltas.extract(BASE, still)
    assert "norm.whole" not in delta
    np.testing.assert_array_equal(deltas.apply(BASE, delta)["norm"], BASE["norm"])


def test_int8_misses_less_than_float16_in_the_same_budget() -> None:
    assert missing(deltas.extract(BASE, TUNED, 0.01, "int8")) < missing(deltas.extract(BASE, TUNED, 0.01, "float16"))


def test_no_other_choice_of_ranks_for_the_bytes_misses_less() -> None:
    pair = {"wide": (30, 20), "thin": (10, 20)}
    dice = np.random.default_rng(3)
    base = {name: np.zeros(shape, np.float32) for name, shape in pair.items()}
    tuned = {name: dice.normal(0, 1, shape).astype(np.float32) for name, shape in pair.items()}
    delta = deltas.extract(base, tuned, 0.0008, "float16")  # 100 bytes a direction of one, 60 of the other
    chosen = sum(loss.error**2 * np.sum(tuned[loss.name] ** 2) for loss in deltas.losses(base, tuned, delta))
    values = {name: np.linalg.svd(array, compute_uv=False) ** 2 for name, array in tuned.items()}
    possible = [
        values["wide"][wide:].sum() + values["thin"][thin:].sum()
        for wide in range(9)
        for thin in range(11)
        if 100 * wide + 60 * thin <= size(delta)
    ]
    assert chosen == pytest.approx(min(possible), rel=1e-3)


def test_a_matrix_that_did_not_change_costs_nothing() -> None:
    tuned = TUNED | {"square": BASE["square"]}
    delta = deltas.extract(BASE, tuned)
    assert not [key for key in delta if key.startswith("square")]
    assert np.array_equal(deltas.apply(BASE, delta)["square"], BASE["square"])


def test_losses_say_what_is_missing() -> None:
    delta = deltas.extract(BASE, TUNED, 0.01)
    for loss in deltas.losses(BASE, TUNED, delta):
        made = deltas.apply(BASE, delta)[loss.name]
        change = np.linalg.norm(TUNED[loss.name] - BASE[loss.name])
        assert loss.error == pytest.approx(np.linalg.norm(TUNED[loss.name] - made) / change)
        assert loss.rank <= 24 and (loss.bytes > 0) == (loss.rank > 0)


def test_a_stored_delta_reads_back_with_its_base(tmp_path: Path) -> None:
    delta = deltas.extract(BASE, TUNED, 0.01)
    deltas.save(delta, "f" * 64, tmp_path / "delta.safetensors")
    stored = deltas.load(tmp_path / "delta.safetensors")
    assert deltas.base_of(tmp_path / "delta.safetensors") == "f" * 64
    assert stored.keys() == delta.keys() and all(np.array_equal(stored[name], delta[name]) for name in delta)


def test_weights_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(UserError, match="same weights: norm"):
        deltas.extract(BASE, {name: array for name, array in TUNED.items() if name != "norm"})
    with pytest.raises(UserError, match="does not have: norm"):
        deltas.apply({"up": BASE["up"]}, {"norm.whole": BASE["norm"]})


def test_a_budget_below_the_norms_is_refused() -> None:
    with pytest.raises(UserError, match="do not even hold the norms"):
        deltas.extract(BASE, TUNED, 0.00001)


def test_other_files_are_no_deltas(tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(b"\x00" * 5)
    with pytest.raises(UserError, match="not a readable delta"):
        deltas.load(tmp_path / "cut")
    from safetensors.numpy import save_file

    save_file({"a": BASE["norm"]}, tmp_path / "weights")
    with pytest.raises(UserError, match="not a delta that this hearten reads"):
        deltas.load(tmp_path / "weights")
