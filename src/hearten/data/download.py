"""Fetching a file from the web, with resumption, progress and a checksum, and unpacking named members of an archive."""

import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Sequence
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from hearten.errors import UserError

ATTEMPTS = 3
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 16


class Unreachable(UserError):
    """A file that could not be fetched."""


class WrongChecksum(UserError):
    """A file that is not what it should be."""


def fetch(url: str, target: Path, sha256: str) -> Path:
    """Download a file. What has come stays in `<target>.part` until all is there and the checksum is right."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    if not any(_continue(url, part) for _ in range(ATTEMPTS)):
        raise Unreachable(f"the connection to {url} was cut; run the command again to go on where it stopped")
    try:
        check(part, sha256)
    except WrongChecksum as error:
        part.unlink()
        raise WrongChecksum(f"what {url} sent is damaged or has changed, and was removed: {error}") from None
    os.replace(part, target)
    return target


def check(path: Path, sha256: str) -> None:
    """Raise unless a file has the given SHA-256."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise WrongChecksum(f"{path.name} has the SHA-256 {found}; it should be {sha256}")


def _continue(url: str, part: Path) -> bool:
    """Fetch what is missing from the part; tell whether it is complete now."""
    have = _size(part)
    request = Request(url, headers={"User-Agent": "hearten"} | ({"Range": f"bytes={have}-"} if have else {}))
    try:
        with urlopen(request, timeout=TIMEOUT) as response:
            return _receive(response, part, have)
    except HTTPError as error:
        error.close()
        if error.code == 416 and have:  # nothing is left to send; whether it is the right thing, the checksum says
            return True
        raise Unreachable(f"{url} answered: {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        if _size(part) > have:
            return False
        raise Unreachable(f"cannot reach {url} ({getattr(error, 'reason', error)})") from None


def _receive(response: HTTPResponse, part: Path, have: int) -> bool:
    resumed = response.status == 206  # a server without ranges sends everything again, with 200
    start = have if resumed else 0
    length = response.headers.get("Content-Length")
    total = start + int(length) if length else None
    with part.open("ab" if resumed else "wb") as file, _progress() as progress:
        task = progress.add_task(part.stem, total=total, completed=start)
        while chunk := response.read(CHUNK):
            file.write(chunk)
            progress.advance(task, len(chunk))
    # http.client ends a cut body like a complete one when it is read in chunks, so the length decides.
    return total is None or _size(part) >= total


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True))


def extract(archive: Path, members: Sequence[str], folder: Path) -> list[Path]:
    """Unpack the named members of a tar file, and nothing else, straight into the folder.

    A member's own path is never used to write, and only regular files are taken, so no archive can reach outside.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(archive) as tar:
            return [_extract_one(tar, member, folder) for member in members]
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise UserError(f"{archive} is not a readable archive ({error}); fetch it again") from None


def _extract_one(tar: tarfile.TarFile, member: str, folder: Path) -> Path:
    try:
        info = tar.getmember(member)
    except KeyError:
        raise UserError(f"{tar.name!s} has no member '{member}'; it is not the official archive") from None
    content = tar.extractfile(info) if info.isreg() else None
    if content is None:
        raise UserError(f"'{member}' in {tar.name!s} is a link or a folder, not a file; nothing of it was unpacked")
    target = folder / Path(member).name
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)
    return target
