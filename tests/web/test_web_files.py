"""The files of the page, without a browser: nothing inline, nothing from elsewhere, nothing that parses HTML."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

WEB = Path(str(files("hearten"))) / "web"
PAGES = sorted(WEB.glob("*.html"))
SCRIPTS = sorted(WEB.glob("*.js"))
STYLES = sorted(WEB.glob("*.css"))
PARSERS = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_nothing_inline(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", text) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_asks_for_files_that_exist_and_only_here(page: Path) -> None:
    named = re.findall(r'(?:src|href)="(?!#)([^"]+)"', page.read_text(encoding="utf-8"))
    assert named and all((WEB / name.removeprefix("static/")).is_file() for name in named)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_id_is_used_once(page: Path) -> None:
    ids = re.findall(r'\sid="([^"]+)"', page.read_text(encoding="utf-8"))
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_never_parses_what_people_wrote(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert [name for name in PARSERS if name in text] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_imports_files_that_exist(script: Path) -> None:
    for name in re.findall(r'from "([^"]+)"', script.read_text(encoding="utf-8")):
        assert (WEB / name).is_file(), name


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_a_style_asks_for_nothing(style: Path) -> None:
    assert re.findall(r"url\(|@import", style.read_text(encoding="utf-8")) == []


def test_the_icons_of_the_page_are_drawn() -> None:
    drawn = set(re.findall(r'^  (\w+): "', (WEB / "icons.js").read_text(encoding="utf-8"), flags=re.M))
    wanted = set(re.findall(r'data-icon="(\w+)"', (WEB / "index.html").read_text(encoding="utf-8")))
    assert wanted and wanted <= drawn
