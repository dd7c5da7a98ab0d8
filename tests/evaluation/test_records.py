"""Stored predictions: complete, without corpus text, and readable again."""

import gzip
from pathlib import Path

import pytest

from hearten.data import source
from hearten.dialogue import turn_id
from hearten.errors import UserError
from hearten.evaluation.records import Prediction, read, resolve, write

FULL = Prediction("a#2", "my own words", None, -3.5, 4, "sad", "proud", "wishing", (1.0, None, 0.5))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "p.gz", [FULL, Prediction("a#4", "")])
    assert read(tmp_path / "p.gz") == [FULL, Prediction("a#4", "")]


def test_the_same_predictions_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "one.gz", [FULL])
    write(tmp_path / "two.gz", [FULL])
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_quoted_text_is_left_out_and_found_again_in_the_corpus(tmp_path: Path) -> None:
    dialogue = next(source.dialogues("sample", "train"))
    quoted = dialogue.turns[1].text
    write(tmp_path / "p.gz", [Prediction("a#2", quoted, source=turn_id(dialogue, 1)), FULL])
    assert quoted not in gzip.decompress((tmp_path / "p.gz").read_bytes()).decode("utf-8")
    stored = read(tmp_path / "p.gz")
    assert stored[0].reply is None
    assert [p.reply for p in resolve(stored, ["sample"])] == [quoted, "my own words"]


def test_a_source_that_is_nowhere_is_said() -> None:
    with pytest.raises(UserError, match="nowhere#2"):
        resolve([Prediction("a#2", source="nowhere#2")], ["sample"])


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    write(tmp_path / "p.gz", [FULL] * 50)
    (tmp_path / "p.gz").write_bytes((tmp_path / "p.gz").read_bytes()[:-20])
    with pytest.raises(UserError, match="cannot be read"):
        read(tmp_path / "p.gz")
