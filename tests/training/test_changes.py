"""What differs between two tables."""

from hearten.training.changes import changes, since, table
from hearten.training.settings import recipe


def test_differences_are_named_as_on_the_command_line() -> None:
    old = {"seed": 0, "stage": [{"lr": 0.1, "targets": []}], "system": {"keep": "last"}}
    new = {"seed": 0, "stage": [{"lr": 0.2, "targets": ["q"]}], "system": {"keep": "last"}}
    assert changes(old, new) == [
        "stage.0.lr: 0.1 -> 0.2",
        "stage.0.targets: [] -> absent",
        "stage.0.targets.0: absent -> q",
    ]


def test_equal_tables_differ_in_nothing() -> None:
    assert changes({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}) == []


def test_what_could_not_be_set_then_counts_as_its_default_now() -> None:
    now = recipe("plainlm", "tiny")
    stored = table(now)
    del stored["stage"][0]["lora_dropout"], stored["system"]["speaker_weight"]
    assert since(stored, now) == []
    assert since(stored, recipe("plainlm", "tiny", ["stage.0.lora_dropout=0.1", "seed=4"])) == [
        "seed: 0 -> 4",
        "stage.0.lora_dropout: 0.0 -> 0.1",
    ]


def test_what_cannot_be_set_any_more_is_a_difference() -> None:
    now = recipe("plainlm", "tiny")
    stored = table(now)
    stored["stage"][0]["momentum"] = 0.9
    assert since(stored, now) == ["stage.0.momentum: 0.9 -> absent"]
