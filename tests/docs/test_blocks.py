"""Every python and console block of the README and the documents runs, and shows what it really prints.

A ```python block runs as a program of its own; a ```text block right below it is what it prints. In a ```console block
each line after `$ ` is a command; where output follows it, that is what the command must print (`...` stands for
anything). Blocks of another kind are not run.
"""

import fnmatch
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def blocks() -> list[pytest.param]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(pytest.param(match[1], match[2], match[3], id=f"{page.relative_to(ROOT)}:{line}"))
    return found


@pytest.mark.parametrize(("kind", "code", "output"), blocks())
def test_the_block_does_what_the_page_says(kind: str, code: str, output: str | None, tmp_path: Path) -> None:
    if kind == "python":
        printed = run([sys.executable, "-c", code], tmp_path)
        assert output is None or printed == output
        return
    for command, shown in commands(code):
        printed = run(command, tmp_path)
        if shown:
            pattern = re.sub(r"([\[\]?*])", r"[\1]", shown).replace("...", "*")
            assert fnmatch.fnmatchcase(printed.strip(), pattern), f"{command} printed:\n{printed}"


def commands(code: str) -> list[tuple[str, str]]:
    """Split a console block into commands and the output shown below each."""
    parts = re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]
    return [(command, shown.strip()) for command, _, shown in (part.partition("\n") for part in parts)]


def run(command: str | list[str], folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_blocks_to_run() -> None:
    assert len(blocks()) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
