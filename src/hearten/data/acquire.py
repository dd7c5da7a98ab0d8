"""Bringing a corpus into the cache: from its official download, or from files that somebody already has."""

import os
import shutil
import tempfile
from pathlib import Path

from hearten.data import download, source
from hearten.data.corpus import Archive, Corpus, DialogueCorpus, Problems, TextCorpus
from hearten.errors import UserError
from hearten.places import cache_folder


def acquire(name: str, origin: Path | None = None) -> Path:
    """Put a corpus into the cache and return its folder.

    `origin` is a folder that holds the corpus's files, or the official archive; without it the archive is downloaded.
    Files are read through before they are copied, so that nothing unreadable gets in.
    """
    plugin = source.corpus(name)
    place = cache_folder() / "data" / name
    if origin is not None and not origin.exists():
        raise UserError(f"{origin} does not exist; --from takes a folder with the files of '{name}', or its archive")
    if origin is not None and origin.is_dir():
        return _import(name, plugin, origin, place)
    archive = _archive(name, plugin, origin)
    packed = origin or _download(name, archive, place)
    download.check(packed, archive.sha256)
    with tempfile.TemporaryDirectory(prefix=f"hearten-{name}-") as draft:
        download.extract(packed, archive.members, Path(draft))
        _import(name, plugin, Path(draft), place)
    if origin is None:
        packed.unlink()
    return place


def _archive(name: str, plugin: Corpus, origin: Path | None) -> Archive:
    if plugin.archive is None:
        given = f"{origin} is a file, and '{name}' has no official archive. " if origin else ""
        raise UserError(f"{given}'{name}' has to be fetched by hand. {plugin.advice}\n{_by_hand(name, 'its files')}")
    return plugin.archive


def _download(name: str, archive: Archive, place: Path) -> Path:
    target = place.parent / Path(archive.url).name
    try:
        return download.fetch(archive.url, target, archive.sha256)
    except download.Unreachable as error:
        raise download.Unreachable(
            f"{error}\nWithout a connection: fetch {archive.url} on another machine "
            f"(SHA-256 {archive.sha256}) and copy it here.\n{_by_hand(name, target.name)}"
        ) from None


def _by_hand(name: str, what: str) -> str:
    return (
        f"Then run: hearten data get {name} --from /path/to/{'folder' if what == 'its files' else what}\n"
        f"or put the files in a folder '{name}' and name the folder above it: export HEARTEN_DATA=/path/to/data"
    )


def _import(name: str, plugin: Corpus, origin: Path, place: Path) -> Path:
    present = plugin.files(origin)
    if not present:
        wanted = plugin.advice or "It needs " + ", ".join(Path(member).name for member in _members(plugin)) + "."
        raise UserError(f"{origin} holds no files of '{name}'. {wanted}")
    for split in present:
        _read_through(name, plugin, origin, split)
    for path in dict.fromkeys([*present.values(), *plugin.extras(origin)]):
        _copy(path, place / path.relative_to(origin))
    return place


def _members(plugin: Corpus) -> tuple[str, ...]:
    return plugin.archive.members if plugin.archive else ()


def _read_through(name: str, plugin: Corpus, folder: Path, split: str) -> None:
    problems = Problems()
    count = 0
    if isinstance(plugin, DialogueCorpus):
        count = sum(1 for _ in plugin.dialogues(folder, split, problems))
    elif isinstance(plugin, TextCorpus):
        count = sum(1 for _ in plugin.texts(folder, split, problems))
    if not count:
        raise UserError(
            f"nothing of '{name}' ({split}) can be read in {folder}; it was not copied\n{problems.summary()}"
        )
    problems.tell()


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    shutil.copyfile(path, part)
    os.replace(part, target)
