"""The agent's own weights that come with hearten: what was learned on top of the base model, and the ranker.

    shipped/  listener.json  delta.safetensors  delta-2.safetensors  ranker/  shelf/

`listener.json` names the backbone and the SHA-256 of every other file, deltas in the order in which they were learned;
nothing is opened before it is checked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from hearten.backbones.manifest import sha256
from hearten.engines import delta as deltas
from hearten.engines.assemble import Source
from hearten.errors import UserError
from hearten.system import Array

SHIPPED = "shipped"
CARD, DELTA, RANKER, SHELF = "listener.json", "delta", "ranker", "shelf"
HOW_TO_MAKE = (
    "train one: hearten train plannedlm --preset offline\n"
    "and name its folder: hearten chat --system listener --set system.parts.generator=FOLDER"
)


@dataclass(frozen=True, slots=True)
class Shipped:
    """Where the shipped files are."""

    place: Path
    backbone: str
    digests: dict[str, str]

    @property
    def source(self) -> Source:
        """The base model and what was learned on top of it; the deltas are checked where they are used."""
        names = [name for name in self.digests if name.startswith(DELTA)]
        if not names:
            raise UserError(f"no generator is shipped with this hearten; {HOW_TO_MAKE}")
        paths = tuple(self.place / name for name in names)
        return Source(self.backbone, paths, tuple(self.digests[name] for name in names))

    @property
    def ranker(self) -> Path:
        """The folder of the ranker."""
        return self._checked(RANKER)

    @property
    def shelf(self) -> Path | None:
        """The folder of replies that were written beforehand, if there is one."""
        return self._checked(SHELF) if any(name.startswith(f"{SHELF}/") for name in self.digests) else None

    def _checked(self, folder: str) -> Path:
        for name, expected in self.digests.items():
            if name.startswith(f"{folder}/") and sha256(self.place / name) != expected:
                raise UserError(f"{self.place / name} is not the file that {CARD} names; install hearten again")
        return self.place / folder


def shipped(place: Path | None = None) -> Shipped:
    """Read the card of the shipped weights."""
    home = place or _place()
    if not (home / CARD).is_file():
        raise UserError(f"no weights of the listener are shipped with this hearten; {HOW_TO_MAKE}")
    card = json.loads((home / CARD).read_text(encoding="utf-8"))
    return Shipped(home, card["backbone"], card["sha256"])


def ranker(name: str) -> Path:
    """Return the folder of an exported encoder: the shipped one's, or the one that is named."""
    if name == SHIPPED:
        return shipped().ranker
    if not Path(name).is_dir():
        raise UserError(f"there is no folder {name}; an encoder is made by: hearten models export")
    return Path(name)


def with_shipped_deltas(base: Mapping[str, Array], last: str = "") -> dict[str, Array]:
    """Return the weights of the backbone with what the shipped generator learned, all or up to one of its deltas."""
    paths = shipped().source.deltas
    names = [path.name for path in paths]
    if last and last not in names:
        raise UserError(f"the shipped generator has no delta '{last}'; it has {', '.join(names)}")
    return deltas.added(base, paths[: names.index(last) + 1] if last else paths)


def _place() -> Path:
    return Path(str(files("hearten.listener"))) / "shipped"
