"""`hearten data` at the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hearten.cli.data import app
from hearten.data.corpus import MalformedRow
from hearten.errors import UserError

ROWS = "conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags\nhit:0_conv:1,1,sad,s,1,Alas.,,\n"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_list_says_which_corpora_are_here() -> None:
    rows = {row["name"]: row for row in json.loads(run("list", "--json"))}
    assert rows["sample"]["folder"]
    assert rows["meld"] | {"folder": ""} == rows["meld"]
    assert rows["twenty_newsgroups"]["kind"] == "texts"
    [line] = [line for line in run("list").splitlines() if line.startswith("sample")]
    assert line.rstrip().endswith("yes")


def test_get_imports_a_folder(tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text(ROWS, encoding="utf-8")
    assert run("get", "empathetic_dialogues", "--from", str(tmp_path)).startswith("empathetic_dialogues is ready in")
    assert "Alas." in run("show", "empathetic_dialogues")


def test_stats_print_a_table_or_json() -> None:
    assert "288" in run("stats", "sample")
    assert json.loads(run("stats", "sample", "--json"))["splits"]["valid"]["items"] == 32


def test_stats_draw_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text(ROWS, encoding="utf-8")
    run("get", "empathetic_dialogues", "--from", str(tmp_path))
    run("stats", "empathetic_dialogues", "--plot", str(tmp_path / "plots"))
    assert (tmp_path / "plots" / "labels.svg").exists()


def test_strict_stats_and_show_stop_at_a_malformed_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empathetic_dialogues").mkdir()
    (tmp_path / "empathetic_dialogues" / "train.csv").write_text(ROWS + "nonsense\n", encoding="utf-8")
    monkeypatch.setenv("HEARTEN_DATA", str(tmp_path))
    for command in ("stats", "show"):
        assert "malformed" in CliRunner().invoke(app, [command, "empathetic_dialogues"]).stderr
        with pytest.raises(MalformedRow):
            run(command, "empathetic_dialogues", "--strict")


def test_show_prints_the_dialogues_of_an_emotion() -> None:
    shown = run("show", "sample", "--split", "test", "--count", "2", "--emotion", "proud")
    assert shown.count("[proud]") == 2
    assert shown.count("situation: ") == 2
    assert " listener: " in shown


def test_show_prints_labelled_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empathetic_intents").mkdir()
    table = "label,utterance\nadvising,Rest.\nagreeing,True.\n"
    (tmp_path / "empathetic_intents" / "manual_annotations.csv").write_text(table, encoding="utf-8")
    monkeypatch.setenv("HEARTEN_DATA", str(tmp_path))
    assert "[agreeing]\n  True." in run("show", "empathetic_intents", "--emotion", "agreeing")


def test_show_as_json_holds_whole_dialogues() -> None:
    [dialogue] = json.loads(run("show", "sample", "--count", "1", "--json"))
    assert dialogue["turns"][1]["role"] == "listener"


def test_an_emotion_that_nothing_carries_is_an_error() -> None:
    with pytest.raises(UserError, match=r"nothing in 'sample' .* is labelled 'peckish'"):
        run("show", "sample", "--emotion", "peckish")
