"""What a folder of weights holds: each file's hash, size and time. Written last, so a manifest means complete."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as it was when its hash was taken."""

    sha256: str
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a folder and where they came from."""

    name: str
    source: str
    files: dict[str, Entry]


def sha256(path: Path) -> str:
    """Hash a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def take(folder: Path, name: str, source: str) -> Manifest:
    """Hash every file of a folder and write its manifest."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and path.name != FILE)
    manifest = Manifest(name, source, {path.name: _entry(path) for path in paths})
    write(folder, manifest)
    return manifest


def write(folder: Path, manifest: Manifest) -> None:
    """Write a manifest in one step."""
    draft = folder / f".{FILE}"
    draft.write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")
    draft.replace(folder / FILE)


def read(folder: Path) -> Manifest | None:
    """Read a folder's manifest; none when the folder is absent, incomplete or unreadable."""
    try:
        table = json.loads((folder / FILE).read_text(encoding="utf-8"))
        files = {name: Entry(**entry) for name, entry in table["files"].items()}
        return Manifest(table["name"], table["source"], files)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def damaged(folder: Path, manifest: Manifest) -> list[str]:
    """Hash every file again and name those that are missing or differ."""
    return [name for name, entry in manifest.files.items() if not _is_same(folder / name, entry)]


def changed(folder: Path, manifest: Manifest) -> list[str]:
    """Name the files that are missing or differ, hashing only those whose size or time is not as recorded."""
    suspects = [name for name, entry in manifest.files.items() if not _looks_same(folder / name, entry)]
    bad = [name for name in suspects if not _is_same(folder / name, manifest.files[name])]
    if suspects and not bad:
        _remember_times(folder, manifest)
    return bad


def _entry(path: Path) -> Entry:
    status = path.stat()
    return Entry(sha256(path), status.st_size, status.st_mtime_ns)


def _looks_same(path: Path, entry: Entry) -> bool:
    if not path.is_file():
        return False
    status = path.stat()
    return (status.st_size, status.st_mtime_ns) == (entry.size, entry.modified_ns)


def _is_same(path: Path, entry: Entry) -> bool:
    return path.is_file() and path.stat().st_size == entry.size and sha256(path) == entry.sha256


def _remember_times(folder: Path, manifest: Manifest) -> None:
    files = {
        name: replace(entry, modified_ns=(folder / name).stat().st_mtime_ns) for name, entry in manifest.files.items()
    }
    try:
        write(folder, replace(manifest, files=files))
    except OSError:
        return  # a read-only cache keeps its old times and is hashed at each load
