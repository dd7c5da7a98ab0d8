"""PersonaChat in both layouts, on invented lines."""

from pathlib import Path

from hearten.data.corpora.personachat import PLUGIN
from hearten.data.corpus import Problems
from hearten.dialogue import Dialogue, Turn

NUMBERED = """1 your persona: i collect kettles.
2 your persona: i whistle.
3 hello there\thi , tea ?
4 yes please\tone moment
1 your persona: i dive.
2 any hobbies ?\tthe deep sea
"""
TABLE = """persona\tsource\ttarget
i collect kettles</s>i whistle\thello there\thi , tea ?
i collect kettles</s>i whistle\tyes please\tone moment
i dive\tany hobbies ?\tthe deep sea
"""


def read(folder: Path, split: str, problems: Problems | None = None) -> list[Dialogue]:
    return list(PLUGIN.dialogues(folder, split, problems or Problems(strict=True)))


def texts(dialogue: Dialogue) -> list[str]:
    return [turn.text for turn in dialogue.turns]


def test_numbered_lines_start_a_dialogue_at_one(tmp_path: Path) -> None:
    (tmp_path / "valid_self_original_no_cands.txt").write_text(NUMBERED, encoding="utf-8")
    first, second = read(tmp_path, "valid")
    assert first.persona == ("i collect kettles.", "i whistle.")
    assert texts(first) == ["hello there", "hi , tea ?", "yes please", "one moment"]
    assert second.turns == (Turn("speaker", "any hobbies ?"), Turn("listener", "the deep sea"))
    assert first.id != second.id


def test_rows_of_one_persona_form_a_dialogue(tmp_path: Path) -> None:
    (tmp_path / "train_head_10000.tsv").write_text(TABLE, encoding="utf-8")
    first, second = read(tmp_path, "train")
    assert first.persona == ("i collect kettles", "i whistle")
    assert texts(first) == ["hello there", "hi , tea ?", "yes please", "one moment"]
    assert texts(second) == ["any hobbies ?", "the deep sea"]


def test_the_complete_training_file_wins_over_its_head(tmp_path: Path) -> None:
    (tmp_path / "train_head_10000.tsv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "train_self_original_no_cands.txt").write_text(NUMBERED, encoding="utf-8")
    assert PLUGIN.files(tmp_path)["train"].name == "train_self_original_no_cands.txt"


def test_lines_that_are_neither_persona_nor_exchange_are_reported(tmp_path: Path) -> None:
    (tmp_path / "valid_self_original_no_cands.txt").write_text(NUMBERED + "3 no tab here\n", encoding="utf-8")
    (tmp_path / "train_head_10000.tsv").write_text(TABLE + "only\ttwo\n", encoding="utf-8")
    problems = Problems()
    assert len(read(tmp_path, "valid", problems)) == 2
    assert len(read(tmp_path, "train", problems)) == 2
    assert [row.split(":")[1] for row in problems.rows] == ["7", "5"]
