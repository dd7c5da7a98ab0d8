"""`hearten train` on the command line."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hearten.cli.main import build


def test_it_says_what_was_changed_and_prints_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(build(), ["train", "bm25", "--set", "seed=3"])
    assert done.exit_code == 0
    assert "changed from the preset: seed: 0 -> 3" in done.stderr
    assert (tmp_path / done.stdout.strip() / "config.json").is_file()
