"""Presets, overrides and their errors."""

import pytest

from hearten import config
from hearten.errors import UserError
from hearten.training.settings import recipe


def test_a_preset_lays_its_tables_over_the_one_it_extends() -> None:
    tiny, offline = config.read_preset("bm25", "tiny"), config.read_preset("bm25", "offline")
    assert tiny["system"]["k1"] == offline["system"]["k1"]
    assert tiny["stage"][0]["corpus"] == "sample"
    assert offline["stage"][0]["corpus"] == "empathetic_dialogues"


def test_merging_joins_tables_and_replaces_lists() -> None:
    merged = config.merge({"a": {"x": 1, "y": 2}, "l": [1, 2]}, {"a": {"y": 3}, "l": [9]})
    assert merged == {"a": {"x": 1, "y": 3}, "l": [9]}


def test_overrides_are_typed_and_reach_into_lists() -> None:
    table = config.override({"stage": [{"steps": 1}]}, ["stage.0.steps=5", "system.name=plain words", "seed=3"])
    assert table == {"stage": [{"steps": 5}], "system": {"name": "plain words"}, "seed": 3}


def test_overriding_leaves_the_original_alone() -> None:
    table = {"stage": [{"steps": 1}]}
    config.override(table, ["stage.0.steps=5"])
    assert table == {"stage": [{"steps": 1}]}


@pytest.mark.parametrize(
    ("assignment", "complaint"),
    [
        ("steps", "write it as key=value"),
        ("stage.7.steps=1", "positions 0 to 0"),
        ("seed.deep=1", "holds a value"),
    ],
)
def test_a_wrong_override_says_how_to_write_it(assignment: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        config.override({"stage": [{"steps": 1}], "seed": 0}, [assignment])


def test_an_unknown_key_is_refused_by_name() -> None:
    with pytest.raises(UserError, match=r"(?s)preset 'tiny' of bm25 is not valid.*speed"):
        recipe("bm25", "tiny", ["system.speed=9"])


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match="it has: offline, tiny"):
        recipe("bm25", "huge")


def test_a_recipe_carries_the_validated_settings_and_stages() -> None:
    made = recipe("bm25", "tiny", ["system.k1=2", "seed=5"])
    assert (made.settings.k1, made.seed, made.stages[0].corpus) == (2.0, 5, "sample")
