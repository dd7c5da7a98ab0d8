"""Weights from the Hugging Face hub: the listed files at a pinned revision, and never any code."""

import shutil
from pathlib import Path

from hearten.backbones.catalogue import Backbone, Hub
from hearten.backbones.sources import SourceFailed, check


def gather(backbone: Backbone, hub: Hub, downloads: Path, draft: Path) -> str:
    """Fill the draft folder from the hub, or from the hub library's own cache where that already has the files."""
    snapshot = _snapshot(backbone, hub, downloads)
    for name, sha256 in backbone.files.items():
        if not (snapshot / name).is_file():
            raise SourceFailed(f"{hub.repository} at {snapshot.name} has no {name}")
        shutil.copyfile(snapshot / name, draft / name)
        check(draft / name, sha256, name)
    return f"hub {hub.repository}@{snapshot.name}"


def _snapshot(backbone: Backbone, hub: Hub, downloads: Path) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise SourceFailed(
            "huggingface_hub is not installed; run: pip install 'hearten[train]' -c constraints.txt"
        ) from None
    wanted = sorted(backbone.files)
    try:
        kept = snapshot_download(hub.repository, revision=hub.revision, allow_patterns=wanted, local_files_only=True)
        if all((Path(kept) / name).is_file() for name in wanted):
            return Path(kept)
    except (OSError, ValueError):
        pass  # not in the library's cache: download
    try:
        return Path(
            snapshot_download(hub.repository, revision=hub.revision, allow_patterns=wanted, cache_dir=downloads / "hub")
        )
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SourceFailed(f"{hub.repository} could not be reached or read: {reason}") from None
