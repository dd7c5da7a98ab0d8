"""From the names in the settings to systems that are ready to answer, with an id that tells models apart for ever."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hearten import config
from hearten.artifacts.folder import Origin
from hearten.errors import UserError
from hearten.overview import rows
from hearten.reader.model import Reader
from hearten.service.engine import Served
from hearten.service.workers.responder import Responder, responder
from hearten.system import Replies
from hearten.training.build import ready


@dataclass(frozen=True)
class Loaded:
    """What a worker holds in memory."""

    responders: dict[str, Responder]
    served: tuple[Served, ...]
    reader: Reader


def load(wanted: Sequence[str], threads: int = 1) -> Loaded:
    """Load systems given as `name`, `name:preset` or a model folder."""
    responders: dict[str, Responder] = {}
    served: list[Served] = []
    for name in wanted:
        place, preset = split(name)
        system, origin = ready(place, preset)
        if not isinstance(system, Replies):
            raise UserError(f"the system '{name}' does not answer; choose another: hearten list systems")
        about = _served(name, place, origin)
        if about.id in responders:
            raise UserError(f"two systems are called '{about.id}'; name different ones")
        responders[about.id] = responder(system)
        served.append(about)
    return Loaded(responders, tuple(served), Reader.load(threads=threads))


def split(name: str) -> tuple[str, str]:
    """Take `name:preset` apart; a folder is a folder, and a missing preset the best that needs no training."""
    if Path(name).is_dir():
        return name, ""
    system, _, preset = name.partition(":")
    return system, preset or config.ready_preset(system)


def _served(name: str, place: str, origin: Origin) -> Served:
    is_folder = Path(place).is_dir()
    own = Path(place).name if is_folder else name.partition(":")[0]
    lines = dict(rows("systems"))
    about = lines.get(origin.system, "").rpartition(" [")[0]
    model = f"{own}@{origin.version}" if is_folder else f"{origin.system}/{origin.preset}@{origin.version}"
    return Served(own, own, about, model, fingerprint(origin))


def fingerprint(origin: Origin) -> str:
    """Return a short hash of all that made the model what it is."""
    fields = {name: getattr(origin, name) for name in Origin.__slots__ if name != "command"}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]
