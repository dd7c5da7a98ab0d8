"""`hearten models`."""

from pathlib import Path

from typer.testing import CliRunner

from hearten.backbones import catalogue
from hearten.cli.models import app


def own_gpt2(own_models: Path) -> Path:
    folder = own_models / "gpt2"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_list_names_every_backbone_with_its_state(own_models: Path) -> None:
    lines = CliRunner().invoke(app, ["list"]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue.backbones())
    assert all(" absent " in line for line in lines)


def test_pull_prints_the_folder_and_list_shows_it(own_models: Path) -> None:
    own_gpt2(own_models)
    result = CliRunner().invoke(app, ["pull", "gpt2"])
    assert result.exit_code == 0
    folder = Path(result.stdout.strip().removeprefix("gpt2: "))
    assert (folder / "manifest.json").is_file()
    assert "present" in next(line for line in CliRunner().invoke(app, ["list"]).stdout.splitlines() if "gpt2" in line)


def test_verify_exits_with_one_when_a_file_is_damaged(own_models: Path) -> None:
    own_gpt2(own_models)
    folder = Path(CliRunner().invoke(app, ["pull", "gpt2"]).stdout.strip().removeprefix("gpt2: "))
    assert CliRunner().invoke(app, ["verify"]).stdout == "gpt2: sound\n"
    (folder / "model.safetensors").write_bytes(b"damaged")
    result = CliRunner().invoke(app, ["verify", "gpt2"])
    assert result.exit_code == 1
    assert result.stdout == "gpt2: damaged or missing: model.safetensors\n"


def test_verify_of_an_absent_backbone_says_how_to_get_it() -> None:
    result = CliRunner().invoke(app, ["verify", "gpt2"])
    assert "hearten models pull gpt2" in str(result.exception)
