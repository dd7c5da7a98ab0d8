"""Where settings come from, and which counts most."""

from pathlib import Path

import pytest

from hearten.errors import UserError
from hearten.service.settings import named_systems, read_settings


def test_what_is_given_counts_more_than_the_environment_and_that_more_than_the_file(tmp_path: Path) -> None:
    file = tmp_path / "serve.toml"
    file.write_text('port = 1\nworkers = 1\nqueue = 1\nsystems = ["bm25", "tfidf:tiny"]\n')
    found = read_settings({"port": 3, "host": None}, file, {"HEARTEN_PORT": "2", "HEARTEN_WORKERS": "2"})
    assert (found.port, found.workers, found.queue) == (3, 2, 1)
    assert found.systems == ("bm25", "tfidf:tiny") and found.host == "127.0.0.1"


def test_lists_in_the_environment_are_written_with_commas() -> None:
    found = read_settings({}, None, {"HEARTEN_SYSTEMS": "bm25, tfidf", "HEARTEN_ALLOWED_HOSTS": "a.example,b.example"})
    assert found.systems == ("bm25", "tfidf") and found.hosts == ("a.example", "b.example")


def test_the_file_may_be_named_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "serve.toml").write_text("port = 5\n")
    assert read_settings({}, None, {"HEARTEN_SERVE_CONFIG": str(tmp_path / "serve.toml")}).port == 5


def test_the_database_is_a_file_unless_an_address_is_given(tmp_path: Path) -> None:
    assert read_settings({"data_folder": tmp_path}, None, {}).database == f"sqlite:///{tmp_path}/service.db"
    assert read_settings({}, None, {"DATABASE_URL": "postgresql://x/y"}).database == "postgresql://x/y"
    both = {"DATABASE_URL": "postgresql://x/y", "HEARTEN_DATABASE_URL": "postgresql://x/z"}
    assert read_settings({}, None, both).database == "postgresql://x/z"


def test_a_server_for_this_machine_answers_to_its_names_only() -> None:
    assert "localhost" in read_settings({}, None, {}).hosts
    assert read_settings({"host": "0.0.0.0"}, None, {}).hosts == ()


def test_a_preset_is_added_to_systems_that_name_none(tmp_path: Path) -> None:
    assert named_systems(["bm25", "tfidf:offline", str(tmp_path)], "tiny") == (
        "bm25:tiny",
        "tfidf:offline",
        str(tmp_path),
    )
    assert named_systems(None, "tiny") is None and named_systems(["bm25"], None) == ("bm25",)


@pytest.mark.parametrize(
    ("text", "words"),
    [("port = -1", "port"), ("prot = 1", "prot"), ("port = ", "cannot be read"), ("systems = []", "systems")],
)
def test_mistakes_in_the_file_are_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "serve.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=words):
        read_settings({}, file, {})
