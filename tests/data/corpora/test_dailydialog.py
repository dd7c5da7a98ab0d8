"""DailyDialog from zip files and from unpacked text files, on invented lines."""

import zipfile
from pathlib import Path

import pytest

from hearten.data.corpora.dailydialog import PLUGIN
from hearten.data.corpus import Problems
from hearten.dialogue import Turn
from hearten.errors import UserError

DIALOGUES = "Is it late ? __eou__ Very . __eou__\nA gift ! __eou__ For me ? __eou__ Yes . __eou__\n"
EMOTIONS = "0 5 \n4 6 0 \n"


def pack(folder: Path, name: str, dialogues: str = DIALOGUES, emotions: str = EMOTIONS) -> None:
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        archive.writestr(f"{name}/dialogues_{name}.txt", dialogues)
        archive.writestr(f"{name}/dialogues_emotion_{name}.txt", emotions)


def test_turns_carry_the_nearest_of_our_labels(tmp_path: Path) -> None:
    pack(tmp_path, "validation")
    first, second = PLUGIN.dialogues(tmp_path, "valid", Problems(strict=True))
    assert first.turns == (Turn("speaker", "Is it late ?", "neutral"), Turn("listener", "Very .", "sad"))
    assert [turn.label for turn in second.turns] == ["joyful", "surprised", "neutral"]


def test_unpacked_files_read_like_the_zip_file(tmp_path: Path) -> None:
    pack(tmp_path, "test")
    packed = list(PLUGIN.dialogues(tmp_path, "test", Problems(strict=True)))
    with zipfile.ZipFile(tmp_path / "test.zip") as archive:
        archive.extractall(tmp_path)
    (tmp_path / "test.zip").unlink()
    assert list(PLUGIN.dialogues(tmp_path, "test", Problems(strict=True))) == packed
    assert PLUGIN.extras(tmp_path) == [tmp_path / "test" / "dialogues_emotion_test.txt"]


def test_dialogues_without_their_emotions_ask_for_the_file(tmp_path: Path) -> None:
    (tmp_path / "dialogues_test.txt").write_text(DIALOGUES, encoding="utf-8")
    with pytest.raises(UserError, match=r"put dialogues_emotion_test\.txt beside it"):
        list(PLUGIN.dialogues(tmp_path, "test", Problems()))


def test_a_line_with_more_turns_than_emotions_is_reported_and_left_out(tmp_path: Path) -> None:
    pack(tmp_path, "train", emotions="0 \n4 6 0 \n")
    problems = Problems()
    assert [d.id for d in PLUGIN.dialogues(tmp_path, "train", problems)] == ["train:2"]
    assert problems.rows == [f"{tmp_path / 'train.zip'}:1: 2 turns but the emotion numbers '0'"]


def test_a_file_that_is_no_zip_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "train.zip").write_bytes(b"nothing of the kind")
    with pytest.raises(UserError, match="not the official zip file"):
        list(PLUGIN.dialogues(tmp_path, "train", Problems()))
