"""Where things lie on this machine: the user's corpora, and the cache for what hearten fetched or assembled."""

import os
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
