"""Weights from the user's own folder, `HEARTEN_MODELS/<name>`: taken as they are, provided that they are data only."""

import os
import shutil
from pathlib import Path

from hearten.backbones.catalogue import SAFE_SUFFIXES, Backbone, is_safe_name
from hearten.backbones.sources import SourceFailed

WEIGHTS = (".safetensors", ".gguf")
CHAT_TEMPLATE = "chat_template.jinja"
"""Text that transformers renders in a sandbox, and the only place where newer folders keep the chat format."""


def place_of(backbone: Backbone) -> Path | None:
    """Return where the user's own copy would lie; none when `HEARTEN_MODELS` is not set."""
    named = os.environ.get("HEARTEN_MODELS")
    return Path(named).expanduser() / backbone.name if named else None


def gather(backbone: Backbone, draft: Path) -> str:
    """Copy the data files of the user's folder; pickled weights and code are left behind."""
    place = place_of(backbone)
    if place is None:
        raise SourceFailed("HEARTEN_MODELS is not set")
    if not place.is_dir():
        raise SourceFailed(f"{place} does not exist")
    paths = sorted(path for path in place.iterdir() if path.is_file())
    require_weights(place, paths)
    for path in paths:
        if is_safe_name(path.name) or path.name == CHAT_TEMPLATE:
            shutil.copyfile(path, draft / path.name)
    return f"folder {place}"


def require_weights(place: Path, paths: list[Path]) -> None:
    """Refuse a folder without safetensors or GGUF weights, above all one that has only pickled ones."""
    if any(path.suffix in WEIGHTS for path in paths):
        return
    others = [path.name for path in paths if path.suffix not in SAFE_SUFFIXES]
    reason = f"only {', '.join(others)}, and pickled weights can run code" if others else "no weights"
    raise SourceFailed(f"{place} holds {reason}; save the model as safetensors there")
