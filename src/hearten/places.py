"""Where things lie on this machine: the user's corpora, and the cache for what hearten fetched or assembled."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """Return the folder for fetched corpora and weights: `HEARTEN_CACHE`, or the system's place for caches."""
    named = os.environ.get("HEARTEN_CACHE")
    return Path(named).expanduser() if named else platformdirs.user_cache_path("hearten")


def data_folders() -> list[Path]:
    """List the folders searched for corpora: `HEARTEN_DATA` if set, then the cache."""
    named = os.environ.get("HEARTEN_DATA")
    own = [Path(named).expanduser()] if named else []
    return [*own, cache_folder() / "data"]


@contextlib.contextmanager
def whole_folder(place: Path) -> Iterator[Path]:
    """Give a sibling folder to write into, and put it in its place only when all went well."""
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        yield draft
        draft.chmod(0o755)
        if place.exists():
            retired = Path(tempfile.mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
            os.replace(place, retired / "old")
            os.replace(draft, place)
            shutil.rmtree(retired)
        else:
            os.replace(draft, place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
