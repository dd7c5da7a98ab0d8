"""Bringing corpora into the cache."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from hearten.data import source
from hearten.data.acquire import acquire
from hearten.data.corpora.empathetic_dialogues import EmpatheticDialogues
from hearten.data.corpus import Archive
from hearten.data.download import Unreachable, WrongChecksum
from hearten.errors import UserError
from hearten.places import cache_folder

ROWS = "conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags\nhit:0_conv:1,1,sad,s,1,Alas.,,\n"


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive like the official one, which the corpus now takes for its own."""
    place = tmp_path / "ed.tar.gz"
    members = tuple(f"ed/{split}.csv" for split in ("train", "valid", "test"))
    with tarfile.open(place, "w:gz") as tar:
        for member in members:
            info = tarfile.TarInfo(member)
            info.size = len(ROWS)
            tar.addfile(info, io.BytesIO(ROWS.encode()))
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    monkeypatch.setattr(EmpatheticDialogues, "archive", Archive("http://127.0.0.1:1/ed.tar.gz", digest, members))
    monkeypatch.setenv("no_proxy", "*")
    return place


def test_a_folder_is_read_and_copied_with_what_belongs_to_it(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "intents.csv").write_text("conv_id,utterance_idx,role,label\n", encoding="utf-8")
    (tmp_path / "diary.txt").write_text("private", encoding="utf-8")
    place = acquire("empathetic_dialogues", tmp_path)
    assert place == cache_folder() / "data" / "empathetic_dialogues"
    assert sorted(path.name for path in place.iterdir()) == ["intents.csv", "train.csv"]
    assert len(list(source.dialogues("empathetic_dialogues", "train"))) == 1


def test_a_folder_without_the_files_says_which_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"It needs train\.csv, valid\.csv, test\.csv"):
        acquire("empathetic_dialogues", tmp_path)
    with pytest.raises(UserError, match=r"Get train_sent_emo\.csv"):
        acquire("meld", tmp_path)


def test_files_that_cannot_be_read_are_not_copied(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("something else\n", encoding="utf-8")
    with pytest.raises(UserError, match="was not copied\n1 malformed rows"):
        acquire("empathetic_dialogues", tmp_path)
    assert not (cache_folder() / "data").exists()


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere does not exist"):
        acquire("meld", tmp_path / "nowhere")


def test_the_archive_itself_can_be_given(packed: Path) -> None:
    place = acquire("empathetic_dialogues", packed)
    assert sorted(path.name for path in place.iterdir()) == ["test.csv", "train.csv", "valid.csv"]
    assert packed.exists()


def test_another_archive_is_refused(packed: Path) -> None:
    packed.write_bytes(b"something else")
    with pytest.raises(WrongChecksum, match="it should be"):
        acquire("empathetic_dialogues", packed)


def test_without_a_connection_it_says_what_to_fetch_and_where_to_put_it(packed: Path) -> None:
    with pytest.raises(Unreachable) as caught:
        acquire("empathetic_dialogues")
    said = str(caught.value)
    for part in ("fetch http://127.0.0.1:1/ed.tar.gz", "SHA-256", "--from /path/to/ed.tar.gz", "HEARTEN_DATA"):
        assert part in said


def test_a_downloaded_archive_is_unpacked_and_removed(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(url: str, target: Path, sha256: str) -> Path:
        target.parent.mkdir(parents=True)
        return packed.rename(target)

    monkeypatch.setattr("hearten.data.download.fetch", pretend)
    place = acquire("empathetic_dialogues")
    assert [path.name for path in place.parent.iterdir()] == ["empathetic_dialogues"]


def test_a_corpus_without_a_download_gives_advice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"(?s)'meld' has to be fetched by hand.*declare-lab.*--from /path/to/folder"):
        acquire("meld")
    (tmp_path / "meld.tar.gz").touch()
    with pytest.raises(UserError, match="has no official archive"):
        acquire("meld", tmp_path / "meld.tar.gz")
