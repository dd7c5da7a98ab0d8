"""The reader of EmpatheticDialogues on invented files in the official layout."""

import gzip
from pathlib import Path

import pytest

from hearten.data.corpora.empathetic_dialogues import PLUGIN
from hearten.data.corpus import MalformedRow, Problems
from hearten.dialogue import Dialogue, Turn

HEADER = "conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags"


def row(conversation: int, number: int, text: str = "Well_comma_ yes.", emotion: str = "proud") -> str:
    return f"hit:7_conv:{conversation},{number},{emotion},I baked_comma_ at last.,{number % 2},{text},,"


def read(folder: Path, *rows: str, header: str = HEADER) -> tuple[list[Dialogue], list[str]]:
    (folder / "train.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    problems = Problems()
    found = list(PLUGIN.dialogues(folder, "train", problems))
    return found, [problem.removeprefix(f"{folder}/") for problem in problems.rows]


def test_a_conversation_becomes_alternating_turns_with_commas_restored(tmp_path: Path) -> None:
    found, problems = read(tmp_path, row(1, 1, " I did it_comma_ alone. "), row(1, 2, "Bravo!"))
    turns = (Turn("speaker", "I did it, alone."), Turn("listener", "Bravo!"))
    assert found == [Dialogue("hit:7_conv:1", turns, "proud", "I baked, at last.")]
    assert problems == []


def test_stray_quotes_swallow_nothing(tmp_path: Path) -> None:
    found, problems = read(tmp_path, row(1, 1, '"Quite'), row(1, 2, "so"), row(2, 1, 'an end"'))
    assert [[turn.text for turn in d.turns] for d in found] == [['"Quite', "so"], ['an end"']]
    assert problems == []


def test_the_ninth_field_of_official_files_is_accepted(tmp_path: Path) -> None:
    found, problems = read(tmp_path, row(1, 1) + ",a candidate|another")
    assert len(found) == 1
    assert problems == []


def test_compressed_files_and_files_from_windows_read_the_same(tmp_path: Path) -> None:
    plain, _ = read(tmp_path, row(1, 1), row(1, 2))
    (tmp_path / "train.csv").unlink()
    content = "\r\n".join([HEADER, row(1, 1), row(1, 2)]) + "\r\n"
    (tmp_path / "train.csv.gz").write_bytes(gzip.compress(content.encode("utf-8-sig")))
    assert list(PLUGIN.dialogues(tmp_path, "train", Problems(strict=True))) == plain


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("hit:7_conv:2,1,proud,too short", "4 fields where 8 are needed"),
        (row(2, 1).replace("hit:7", "hit-7"), "conv_id 'hit-7_conv:2' is not of the form"),
        (row(2, 1).replace(",1,proud", ",one,proud"), "utterance_idx 'one' is not a number"),
        (row(2, 1, emotion="peckish"), "unknown emotion 'peckish'"),
        (row(2, 1, text="  "), "the utterance is empty"),
        (row(2, 2), "utterance_idx 2 where 1 should follow"),
    ],
)
def test_a_malformed_row_is_reported_with_file_and_line(tmp_path: Path, bad: str, message: str) -> None:
    found, problems = read(tmp_path, row(1, 1), bad, row(3, 1))
    assert [d.id for d in found] == ["hit:7_conv:1", "hit:7_conv:3"]
    assert len(problems) == 1
    assert problems[0].startswith(f"train.csv:3: {message}")


def test_a_conversation_ends_at_a_gap_and_every_later_row_is_reported(tmp_path: Path) -> None:
    found, problems = read(tmp_path, row(1, 1), row(1, 3), row(1, 4))
    assert len(found[0].turns) == 1
    assert [problem.split(":")[1] for problem in problems] == ["3", "4"]


def test_a_change_of_emotion_inside_a_conversation_is_reported(tmp_path: Path) -> None:
    found, problems = read(tmp_path, row(1, 1), row(1, 2, emotion="sad"))
    assert len(found[0].turns) == 1
    assert "emotion 'sad' in a conversation about 'proud'" in problems[0]


def test_a_conversation_that_comes_back_is_reported(tmp_path: Path) -> None:
    found, problems = read(tmp_path, row(1, 1), row(2, 1), row(1, 1))
    assert [d.id for d in found] == ["hit:7_conv:1", "hit:7_conv:2"]
    assert problems[0].startswith("train.csv:4: hit:7_conv:1 has come before")


def test_a_wrong_header_is_reported(tmp_path: Path) -> None:
    _, problems = read(tmp_path, row(1, 1), header="id,text")
    assert problems[0].startswith("train.csv:1: the first line should be conv_id,")


def test_strict_reading_stops_at_the_first_malformed_row(tmp_path: Path) -> None:
    read(tmp_path, row(1, 1), "nonsense")
    with pytest.raises(MalformedRow, match=r"train\.csv:3: 1 fields"):
        list(PLUGIN.dialogues(tmp_path, "train", Problems(strict=True)))


def test_intents_beside_the_conversations_label_their_turns(tmp_path: Path) -> None:
    intents = "conv_id,utterance_idx,role,label\nhit:7_conv:1,2,listener,wishing\n"
    (tmp_path / "intents.csv").write_text(intents, encoding="utf-8")
    found, problems = read(tmp_path, row(1, 1), row(1, 2))
    assert [turn.label for turn in found[0].turns] == [None, "wishing"]
    assert problems == []
