"""Every registered corpus and metric, and the registry itself."""

from pathlib import Path

import pytest

from hearten import overview, registry
from hearten.data.corpus import Corpus
from hearten.errors import UserError


@pytest.mark.parametrize("name", registry.names("corpus"))
def test_a_corpus_says_what_it_is_and_finds_nothing_in_an_empty_folder(name: str, tmp_path: Path) -> None:
    corpus = registry.load("corpus", name)
    assert isinstance(corpus, Corpus)
    assert corpus.title and corpus.licence and corpus.citation
    assert corpus.archive or corpus.advice or name == "sample", "there must be a way to get the corpus"
    assert corpus.files(tmp_path) == {}


@pytest.mark.parametrize("kind", ["systems", "corpora", "metrics", "emotions"])
def test_everything_listed_has_a_line_and_can_be_shown(kind: str) -> None:
    rows = overview.rows(kind)
    assert rows
    for name, about in rows:
        assert about.strip()
        assert name in overview.full(name)


def test_an_unknown_name_answers_with_a_near_match() -> None:
    with pytest.raises(UserError, match=r"there is no system 'bm52'; did you mean 'bm25'"):
        registry.load("system", "bm52")


def test_two_providers_of_one_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint(name="bm25", value="elsewhere:PLUGIN", group="hearten.systems")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    registry.providers.cache_clear()
    with pytest.raises(UserError, match="two packages provide the system 'bm25'"):
        registry.names("system")
    monkeypatch.undo()
    registry.providers.cache_clear()


def test_another_package_can_provide_a_system(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint(name="guest", value="hearten.systems.bm25:PLUGIN", group="hearten.systems")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    registry.providers.cache_clear()
    assert registry.load("system", "guest") is registry.load("system", "bm25")
    monkeypatch.undo()
    registry.providers.cache_clear()
