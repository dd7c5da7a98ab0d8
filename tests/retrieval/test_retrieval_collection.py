"""Candidates with vectors in a folder, memory-mapped; and the reading of safetensors files where they lie."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from hearten.data.candidates import Candidate
from hearten.errors import UserError
from hearten.retrieval.collection import VECTORS, Collection
from hearten.retrieval.index import Index
from hearten.retrieval.mapped import map_tensors

CANDIDATES = [Candidate("a#2", "Oh no!"), Candidate("a#3", "Thanks — really"), Candidate("b#2", "How nice")]
AXES = np.eye(3, dtype=np.float32)


@pytest.mark.parametrize("exact_up_to", [0, 10])
def test_a_saved_collection_answers_the_same_from_the_disk(tmp_path: Path, exact_up_to: int) -> None:
    first = Collection(CANDIDATES, Index(AXES, exact_up_to))
    first.save(tmp_path / "index")
    again = Collection.open(tmp_path / "index", exact_up_to)
    assert again.nearest(AXES, 2) == first.nearest(AXES, 2)
    assert [replies[0].source for replies in again.nearest(AXES)] == ["a#2", "a#3", "b#2"]
    assert isinstance(again.index.vectors, np.memmap)
    assert not again.index.vectors.flags.writeable


def test_added_candidates_are_quoted(tmp_path: Path) -> None:
    first = Collection(CANDIDATES[:2], Index(AXES[:2], 10))
    first.save(tmp_path / "index")
    again = Collection.open(tmp_path / "index", 10)
    again.add(CANDIDATES[2:], AXES[2:])
    assert again.nearest(AXES[2:])[0][0].text == "How nice"


def test_every_candidate_needs_a_vector() -> None:
    with pytest.raises(UserError, match="3 candidates but 2 vectors"):
        Collection(CANDIDATES, Index(AXES[:2], 10))
    with pytest.raises(UserError, match="1 candidates but 2 vectors"):
        Collection(CANDIDATES, Index(AXES, 10)).add(CANDIDATES[:1], AXES[:2])


def test_a_folder_without_candidates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no candidates"):
        Collection.open(tmp_path, 10)


def test_mapped_arrays_are_what_was_stored(tmp_path: Path) -> None:
    stored = {"a": AXES, "b": np.arange(7, dtype=np.uint8), "c": np.ones((2, 2), np.float16), "d": np.array([0.5])}
    save_file(stored, tmp_path / "x.safetensors")
    found = map_tensors(tmp_path / "x.safetensors")
    assert found.keys() == stored.keys()
    for name, array in stored.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


@pytest.mark.parametrize("spoil", [lambda raw: raw[:-1], lambda raw: b"\xff" * 8 + raw[8:], lambda raw: b""])
def test_a_damaged_file_is_refused(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    path = tmp_path / VECTORS
    save_file({"a": AXES}, path)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(UserError, match="not a whole safetensors file"):
        map_tensors(path)
