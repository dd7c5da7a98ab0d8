"""Which backbones are on this machine, for `hearten models list`."""

from dataclasses import dataclass

from hearten.backbones import catalogue, fetch, manifest
from hearten.backbones.catalogue import Backbone


@dataclass(frozen=True, slots=True)
class Row:
    """One backbone in words."""

    name: str
    kind: str
    licence: str
    sources: str
    hashes: str
    state: str


def rows() -> list[Row]:
    """Describe every backbone of the catalogue."""
    return [_row(backbone) for backbone in catalogue.backbones().values()]


def present() -> list[str]:
    """Name the backbones whose folder exists, damaged ones included."""
    return [name for name in catalogue.backbones() if fetch.location(name).is_dir()]


def _row(backbone: Backbone) -> Row:
    return Row(backbone.name, backbone.kind, backbone.licence, _sources(backbone), _hashes(backbone), _state(backbone))


def _sources(backbone: Backbone) -> str:
    hub = [f"hub {backbone.hub.repository}@{backbone.hub.revision[:8]}"] if backbone.hub else []
    wheels = [f"{len(backbone.wheels)} wheel{'s' if len(backbone.wheels) > 1 else ''}"] if backbone.wheels else []
    return ", ".join(["folder", *hub, *wheels])


def _hashes(backbone: Backbone) -> str:
    if backbone.is_pinned:
        return "all pinned"
    weights = any(sha256 for name, sha256 in backbone.files.items() if name.endswith(".safetensors"))
    return "weights pinned, the rest as first pulled" if weights else "hashes as first pulled"


def _state(backbone: Backbone) -> str:
    place = fetch.location(backbone)
    if not place.is_dir():
        return "absent"
    found = manifest.read(place)
    if found is None:
        return "incomplete, pull it again"
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    own = " (own files)" if fetch.strangers(backbone, found) else ""
    return f"present, {size / 1e6:.0f} MB, from {found.source.partition(' ')[0]}{own}"
