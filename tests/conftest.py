"""What all tests share: an own cache, no corpora by accident, and the real ones on request."""

import os
from pathlib import Path

import pytest

from hearten import places

BASE = "smollm2-135m-instruct"
ENCODER = "all-minilm-l6-v2"
REAL = places.cache_folder()
NAMED = os.environ.get("HEARTEN_DATA")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the user's corpora and cache."""
    monkeypatch.delenv("HEARTEN_DATA", raising=False)
    monkeypatch.delenv("HEARTEN_MODELS", raising=False)
    monkeypatch.setenv("HEARTEN_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def real_data(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of real corpora that the caller's HEARTEN_DATA names."""
    if NAMED is None or not (Path(NAMED) / "empathetic_dialogues").is_dir():
        pytest.skip("set HEARTEN_DATA to a folder with the real corpora to run this")
    monkeypatch.setenv("HEARTEN_DATA", str(Path(NAMED).resolve()))
    return Path(NAMED).resolve()


@pytest.fixture
def real_base(monkeypatch: pytest.MonkeyPatch) -> str:
    """The real base weights, where they were pulled into the caller's own cache before."""
    return _pulled(BASE, monkeypatch)


@pytest.fixture
def real_encoder(monkeypatch: pytest.MonkeyPatch) -> str:
    """The real small encoder, where it was pulled before."""
    return _pulled(ENCODER, monkeypatch)


def _pulled(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    if not (REAL / "models" / name / "manifest.json").is_file():
        pytest.skip(f"{name} is not here; run: hearten models pull {name}")
    monkeypatch.setenv("HEARTEN_CACHE", str(REAL))
    return name
