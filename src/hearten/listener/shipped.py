"""The agent's own weights that come with hearten: what was learned on top of the base model, and the ranker.

    shipped/  listener.json  delta.safetensors  ranker/

`listener.json` names the backbone and the SHA-256 of every other file; nothing is opened before it is checked.
"""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from hearten.backbones.manifest import sha256
from hearten.engines.assemble import Source
from hearten.errors import UserError

CARD, DELTA, RANKER = "listener.json", "delta.safetensors", "ranker"
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
        """The base model and what was learned on top of it; the delta is checked where it is used."""
        if DELTA not in self.digests:
            raise UserError(f"no generator is shipped with this hearten; {HOW_TO_MAKE}")
        return Source(self.backbone, self.place / DELTA, self.digests[DELTA])

    @property
    def ranker(self) -> Path:
        """The folder of the ranker, whose files are checked here."""
        for name, expected in self.digests.items():
            if name.startswith(f"{RANKER}/") and sha256(self.place / name) != expected:
                raise UserError(f"{self.place / name} is not the file that {CARD} names; install hearten again")
        return self.place / RANKER


def shipped(place: Path | None = None) -> Shipped:
    """Read the card of the shipped weights."""
    home = place or _place()
    if not (home / CARD).is_file():
        raise UserError(f"no weights of the listener are shipped with this hearten; {HOW_TO_MAKE}")
    card = json.loads((home / CARD).read_text(encoding="utf-8"))
    return Shipped(home, card["backbone"], card["sha256"])


def _place() -> Path:
    return Path(str(files("hearten.listener"))) / "shipped"
