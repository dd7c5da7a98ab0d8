"""A reader that also asks the one that ships: its weight, and what it changes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hearten.reader.model import Reader
from hearten.system import normalised
from hearten.systems.reader.export import export

TEXTS = ["My dog died last night.", "We won the game!", "I have to speak in front of everybody tomorrow."]


@pytest.fixture(scope="module")
def asking(model_folder: Path) -> Path:
    return export(model_folder, model_folder.parent / "asking", asks_shipped=True)


def test_a_better_reader_is_listened_to(exported: Path, asking: Path) -> None:
    """The tiny reader has learned next to nothing, and the shipped one knows feelings."""
    alone, together = (Reader.load(place, threads=1).card.heads["emotion"] for place in (exported, asking))
    assert alone.shipped_weight == 0 < together.shipped_weight
    assert together.validation["accuracy"] > alone.validation["accuracy"]
    assert together.validation["nats"] < alone.validation["nats"]


def test_what_both_say_is_added(asking: Path) -> None:
    both, shipped = Reader.load(asking, threads=1), Reader.load(threads=1)
    head = both.card.heads["label"]
    silenced = replace(both.card, heads={**both.card.heads, "label": replace(head, shipped_weight=0.0)})
    own = Reader(silenced, both._session, both._known, both._counted)
    logs = np.log(own.labels(TEXTS)) * head.temperature + head.shipped_weight * np.log(shipped.labels(TEXTS))
    np.testing.assert_allclose(both.labels(TEXTS), normalised(logs / head.temperature), rtol=1e-4)


def test_the_shipped_reader_asks_nobody() -> None:
    assert all(head.shipped_weight == 0 for head in Reader.load(threads=1).card.heads.values())
