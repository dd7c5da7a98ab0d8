"""What differs between two tables."""

from hearten.training.changes import changes


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
