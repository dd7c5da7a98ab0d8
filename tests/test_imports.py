"""The direction of imports, and what the light paths must not pull in."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hearten

SOURCE = Path(hearten.__file__).parent
LAYERS = [
    {"errors", "dialogue", "taxonomy", "places", "registry", "config", "system", "decoding", "chatml"},
    {"data", "nn", "backbones", "safety"},
    {"reader", "retrieval", "engines"},
    {"listener"},
    {"systems", "artifacts"},
    {"training"},
    {"evaluation"},
    {"conversation", "overview", "__init__"},
    {"answering", "terminal"},
    {"store"},
    {"service"},
    {"cli", "__main__"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def imported(path: Path) -> set[str]:
    """Return the top-level parts of hearten that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "hearten":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hearten."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("hearten.")}
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    upward = {name for name in imported(path) if RANK[name] > RANK[part]}
    assert not upward, f"{path} belongs to '{part}' and must not import {sorted(upward)}"


@pytest.mark.parametrize("code", ["import hearten", "from hearten.cli.main import build; build()"])
def test_light_paths_import_nothing_heavy(code: str) -> None:
    heavy = "{'torch', 'transformers', 'sklearn', 'matplotlib', 'numpy', 'scipy'}"
    check = f"import sys; {code}; print(sorted({heavy} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_chatting_needs_no_training_packages() -> None:
    heavy = "{'torch', 'sklearn'}"
    code = "hearten.chat('listener', 'tiny').say('hello')"
    check = f"import sys, hearten; {code}; print(sorted({heavy} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
