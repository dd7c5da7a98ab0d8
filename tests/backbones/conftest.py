"""A package index made of hand-made wheels, and the real weights where they are already on this machine."""

import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs
import pytest

from hearten.backbones import catalogue
from hearten.backbones.catalogue import Backbone, Kind

NAMED = os.environ.get("HEARTEN_CACHE")
REAL = Path(NAMED).expanduser() if NAMED else platformdirs.user_cache_path("hearten")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


class Index:
    """A folder that pip takes for its only index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    zipped = staticmethod(zipped)

    def file(self, package: str) -> Path:
        return self.folder / f"{package}-1.0-py3-none-any.whl"

    def add(self, package: str, members: Mapping[str, bytes], part: str | None = None) -> dict[str, object]:
        """Put a wheel on the index and describe it as the catalogue does."""
        info = f"{package}-1.0.dist-info"
        content = zipped(
            {
                **members,
                f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode(),
                f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                f"{info}/RECORD": b"",
            }
        )
        self.file(package).write_bytes(content)
        return {"requirement": f"{package}==1.0", "sha256": sha256(content), "size": len(content), "part": part}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index of hand-made wheels, and no other."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return Index(folder)


@pytest.fixture
def own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of the user's own models."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv("HEARTEN_MODELS", str(folder))
    return folder


Describe = Callable[..., Backbone]


@pytest.fixture
def describe() -> Describe:
    """Describe a backbone called toy of the given files, all of them pinned."""

    def toy(files: Mapping[str, bytes], kind: Kind = "encoder", **more: object) -> Backbone:
        table = {"name": "toy", "title": "a toy", "kind": kind, "licence": "MIT", **more}
        return Backbone.model_validate({**table, "files": {name: sha256(content) for name, content in files.items()}})

    return toy


@pytest.fixture
def real_weights(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Point hearten at the caller's own cache, for backbones that were pulled into it before."""

    def require(name: str) -> str:
        if not (REAL / "models" / catalogue.find(name).name / "manifest.json").is_file():
            pytest.skip(f"{name} is not here; run: hearten models pull {name}")
        monkeypatch.setenv("HEARTEN_CACHE", str(REAL))
        return name

    return require
