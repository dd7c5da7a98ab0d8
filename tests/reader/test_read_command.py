"""`hearten read` as people call it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hearten.cli.main import build
from hearten.errors import UserError
from hearten.reader import folder


def run(*arguments: str, stdin: str = "") -> str:
    result = CliRunner().invoke(build(), ["read", *arguments], input=stdin, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_it_prints_bars_and_what_the_last_utterance_does(exported: Path) -> None:
    printed = run("I lost my dog", "oh no", "--model", str(exported), "--top", "3")
    assert printed.startswith("I lost my dog\noh no\n")
    assert sum("█" in line or "░" in line for line in printed.splitlines()) == 3
    assert "utterance: " in printed


def test_each_line_of_stdin_is_a_text(exported: Path) -> None:
    printed = run("--json", "--top", "2", "--model", str(exported), stdin="I am sad\n\nwhy did you go?\n")
    first, second = (json.loads(line) for line in printed.splitlines())
    assert (first["turns"], second["turns"]) == (["I am sad"], ["why did you go?"])
    assert len(first["emotion"]["probabilities"]) == 2
    assert {one["word"] for one in first["emotion"]["evidence"]} == {"I", "am", "sad"}


def test_a_cut_text_is_said_to_be_cut(exported: Path) -> None:
    assert "only the end of the text was read" in run("very sad " * 500, "--model", str(exported))


@pytest.mark.parametrize("text", ["", "  "])
def test_nothing_cannot_be_read(exported: Path, text: str) -> None:
    with pytest.raises(UserError, match="nothing to read"):
        run(text, "--model", str(exported))


def test_without_a_reader_it_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(folder, "files", lambda _: tmp_path)
    with pytest.raises(UserError, match="hearten train reader --preset fast, then hearten read --export"):
        run("hello")


def test_a_model_folder_can_be_exported(model_folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "reader"
    assert run("--export", str(model_folder), "--out", str(place)).strip() == str(place)
    assert "utterance: " in run("hello there", "--model", str(place))


def test_out_belongs_to_export() -> None:
    with pytest.raises(UserError, match="--out and --asks-shipped say how --export writes"):
        run("hello", "--out", "somewhere")
