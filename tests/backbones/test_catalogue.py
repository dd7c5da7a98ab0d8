"""The catalogue: names, hashes, and which files may ever enter."""

import re

import pytest

from hearten.backbones import catalogue
from hearten.backbones.catalogue import Backbone
from hearten.errors import UserError


@pytest.mark.parametrize("name", list(catalogue.backbones()))
def test_every_backbone_has_weights_and_exactly_one_far_source(name: str) -> None:
    backbone = catalogue.find(name)
    assert any(file.endswith((".safetensors", ".gguf")) for file in backbone.files)
    assert bool(backbone.wheels) != bool(backbone.hub)


@pytest.mark.parametrize("name", list(catalogue.backbones()))
def test_what_comes_in_wheels_is_pinned_to_the_last_file(name: str) -> None:
    backbone = catalogue.find(name)
    assert backbone.is_pinned or not backbone.wheels


def test_an_unknown_name_answers_with_near_ones_and_all() -> None:
    with pytest.raises(UserError, match=r"did you mean 'gpt2'.*Known: .*roberta-base"):
        catalogue.find("gpt-2")


@pytest.mark.parametrize(
    "file", ["pytorch_model.bin", "model.pkl", "modeling.py", "../config.json", "/config.json", "a/b.json", "a\\b.json"]
)
def test_only_plain_names_of_data_files_are_allowed(file: str) -> None:
    table = {"name": "toy", "title": "toy", "kind": "encoder", "licence": "MIT", "files": {file: ""}}
    with pytest.raises(ValueError, match=re.escape("is not a plain file name")):
        Backbone.model_validate(table)
