"""The settings of decoding: what fits together, and how they are written on a command line."""

import subprocess
import sys

import pytest

from hearten.decoding import NAMED, Decoding
from hearten.errors import UserError


@pytest.mark.parametrize("name", NAMED)
def test_every_named_decoding_is_valid(name: str) -> None:
    assert Decoding.parse(name) == Decoding.parse(f" {name} ,")


def test_names_mean_what_they_say() -> None:
    assert Decoding.parse("greedy") == Decoding()
    assert Decoding.parse("beam").beams > 1
    assert Decoding.parse("diverse").groups > 1
    assert Decoding.parse("nucleus").sample and Decoding.parse("nucleus").top_p < 1


def test_settings_are_written_with_commas() -> None:
    assert Decoding.parse("beams=4, no_repeat_ngram=3") == Decoding(beams=4, no_repeat_ngram=3)
    assert Decoding.parse("sample=true,min_p=0.1") == Decoding(sample=True, min_p=0.1)


def test_a_name_may_be_changed() -> None:
    assert Decoding.parse("nucleus,top_p=0.5") == Decoding.parse("nucleus").model_copy(update={"top_p": 0.5})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nucles", "no decoding 'nucles'; choose from greedy, beam, diverse, nucleus"),
        ("", "no decoding ''"),
        ("beams=4,fast", "cannot read the override 'fast'"),
        ("bems=4", "bems"),
        ("beams=0", "beams"),
        ("top_p=0.9", "top_p means nothing without sampling"),
        ("nucleus,beams=4", "beams means nothing while sampling"),
        ("length_penalty=2", "length_penalty means nothing with one beam"),
        ("groups=2,diversity=1", "groups and diversity means nothing with one beam"),
        ("beams=4,groups=3,diversity=1", "4 beams do not make 3 equal groups"),
        ("beams=4,groups=2", "groups and diversity need each other"),
        ("beams=4,diversity=1", "groups and diversity need each other"),
        ("min_tokens=9,max_tokens=8", "min_tokens = 9 is more than max_tokens = 8"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Decoding.parse(text)


def test_the_settings_need_neither_torch_nor_numpy() -> None:
    check = "import sys, hearten.decoding; print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
