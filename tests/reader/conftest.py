"""A tiny reader, trained and exported once for all tests of this folder."""

from pathlib import Path

import pytest

from hearten.reader.model import Reader
from hearten.systems.reader.export import export
from hearten.training.loop import train
from hearten.training.settings import recipe


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(recipe("reader", "tiny"), tmp_path_factory.mktemp("reader") / "model")


@pytest.fixture(scope="session")
def exported(model_folder: Path) -> Path:
    return export(model_folder, model_folder.parent / "exported")


@pytest.fixture(scope="session")
def reader(exported: Path) -> Reader:
    return Reader.load(exported, threads=1)
