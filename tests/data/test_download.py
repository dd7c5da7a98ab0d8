"""Downloads against a server on this machine: resumption, checksums, archives."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hearten.data.download import Unreachable, WrongChecksum, extract, fetch
from hearten.errors import UserError

CONTENT = bytes(range(256)) * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT; `cuts` says after how many bytes to hang up, once for each entry."""

    daemon_threads = True
    cuts: list[int]
    ranges: list[str | None]
    knows_ranges = True


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        if self.path != "/file":
            return self.send_error(404)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.server.knows_ranges else 0
        if start >= len(CONTENT):
            return self.send_error(416)
        body = CONTENT[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.cuts.pop(0)] if self.server.cuts else body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    with Server(("127.0.0.1", 0), Handler) as made:
        made.cuts, made.ranges = [], []
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def url(server: Server, path: str = "/file") -> str:
    return f"http://127.0.0.1:{server.server_port}{path}"


def test_a_file_arrives_whole(server: Server, tmp_path: Path) -> None:
    assert fetch(url(server), tmp_path / "new" / "file", DIGEST).read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]


def test_a_cut_connection_is_taken_up_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.cuts = [1000, 500]
    assert fetch(url(server), tmp_path / "file", DIGEST).read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=1000-", "bytes=1500-"]


def test_what_came_before_the_last_cut_is_kept_for_the_next_run(server: Server, tmp_path: Path) -> None:
    server.cuts = [10, 10, 10]
    with pytest.raises(Unreachable, match="run the command again"):
        fetch(url(server), tmp_path / "file", DIGEST)
    assert (tmp_path / "file.part").read_bytes() == CONTENT[:30]
    assert not (tmp_path / "file").exists()
    assert fetch(url(server), tmp_path / "file", DIGEST).read_bytes() == CONTENT
    assert server.ranges[-1] == "bytes=30-"


def test_a_server_without_ranges_starts_again(server: Server, tmp_path: Path) -> None:
    server.knows_ranges = False
    (tmp_path / "file.part").write_bytes(CONTENT[:30])
    assert fetch(url(server), tmp_path / "file", DIGEST).read_bytes() == CONTENT


def test_a_complete_part_is_only_checked(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(CONTENT)
    assert fetch(url(server), tmp_path / "file", DIGEST).read_bytes() == CONTENT


def test_a_wrong_checksum_removes_the_file(server: Server, tmp_path: Path) -> None:
    with pytest.raises(WrongChecksum, match=f"was removed: .*{DIGEST}; it should be 0000"):
        fetch(url(server), tmp_path / "file", "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_other_than_the_file_is_passed_on(server: Server, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="answered: 404"):
        fetch(url(server, "/elsewhere"), tmp_path / "file", DIGEST)


def test_no_server_means_unreachable(server: Server, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="cannot reach http"):
        fetch("http://127.0.0.1:1/file", tmp_path / "file", DIGEST)


def archive(place: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(place, "w:gz") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return place


def link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


def test_only_the_named_members_are_unpacked_and_none_outside_the_folder(tmp_path: Path) -> None:
    evil = tarfile.TarInfo("../evil.csv")
    packed = archive(tmp_path / "a.tgz", (evil, b"bad"), (tarfile.TarInfo("in/train.csv"), b"good"))
    extract(packed, ["in/train.csv"], tmp_path / "out")
    assert {path.name for path in tmp_path.rglob("*.csv")} == {"train.csv"}
    assert (tmp_path / "out" / "train.csv").read_bytes() == b"good"


def test_a_wanted_member_with_an_outside_path_stays_inside(tmp_path: Path) -> None:
    packed = archive(tmp_path / "a.tgz", (tarfile.TarInfo("../../evil.csv"), b"bad"))
    assert extract(packed, ["../../evil.csv"], tmp_path / "out") == [tmp_path / "out" / "evil.csv"]


def test_a_link_in_place_of_a_wanted_member_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    packed = archive(tmp_path / "a.tgz", (link("train.csv", str(tmp_path / "secret")), b""))
    with pytest.raises(UserError, match=r"'train\.csv' in .* is a link"):
        extract(packed, ["train.csv"], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_missing_member_and_a_broken_archive_are_told_apart(tmp_path: Path) -> None:
    packed = archive(tmp_path / "a.tgz", (tarfile.TarInfo("other.csv"), b""))
    with pytest.raises(UserError, match=r"has no member 'train\.csv'"):
        extract(packed, ["train.csv"], tmp_path / "out")
    packed.write_bytes(b"no archive")
    with pytest.raises(UserError, match="not a readable archive"):
        extract(packed, ["train.csv"], tmp_path / "out")
