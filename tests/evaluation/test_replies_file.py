"""Replies made elsewhere, and the mistakes people make with them."""

import json
from pathlib import Path

import pytest

from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.evaluation.replies_file import read_replies


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_text_file_holds_one_reply_a_line(tmp_path: Path, gold: list[Example]) -> None:
    (tmp_path / "r.txt").write_text("first\n\nthird\u2028still third\n", encoding="utf-8")
    found = read_replies(tmp_path / "r.txt", gold[:3])
    assert [(p.id, p.reply) for p in found] == [
        (gold[0].id, "first"),
        (gold[1].id, ""),
        (gold[2].id, "third\u2028still third"),
    ]


def test_json_lines_with_ids_may_come_in_any_order(tmp_path: Path, gold: list[Example]) -> None:
    rows: list[dict[str, object]] = [
        {"id": gold[1].id, "reply": "b", "log_likelihood": -2.0, "tokens": 3},
        {"id": gold[0].id, "reply": "a", "emotion": "sad"},
    ]
    first, second = read_replies(write_rows(tmp_path / "r.jsonl", rows), gold[:2])
    assert (first.reply, first.emotion, second.reply, second.tokens) == ("a", "sad", "b", 3)


def test_a_wrong_count_names_both_counts(tmp_path: Path, gold: list[Example]) -> None:
    (tmp_path / "r.txt").write_text("one\ntwo\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"has 2 replies for 3 examples.*5,259.*5,255"):
        read_replies(tmp_path / "r.txt", gold[:3])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "hm"}, "r.jsonl:1: expected an object with a 'reply'"),
        ({"reply": 3}, "'reply' is unknown or of the wrong type"),
        ({"reply": "a", "mood": "sad"}, "'mood' is unknown"),
        ({"reply": "a", "emotion": "sadd"}, "'sadd' is not a known emotion"),
        ({"reply": "a", "id": "somewhere#2"}, "unknown ids"),
    ],
)
def test_a_wrong_row_is_explained(tmp_path: Path, gold: list[Example], row: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_replies(write_rows(tmp_path / "r.jsonl", [row]), gold[:1])


def test_an_id_given_twice_is_explained(tmp_path: Path, gold: list[Example]) -> None:
    rows: list[dict[str, object]] = [{"id": gold[0].id, "reply": "a"}] * 2
    with pytest.raises(UserError, match="comes twice"):
        read_replies(write_rows(tmp_path / "r.jsonl", rows), gold[:2])


def test_a_line_that_is_not_json_is_explained(tmp_path: Path, gold: list[Example]) -> None:
    (tmp_path / "r.jsonl").write_text("hello\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"r.jsonl:1: not a JSON object"):
        read_replies(tmp_path / "r.jsonl", gold[:1])
