"""The model card: a README made from the files of a model folder, and from nothing else."""

import json
from pathlib import Path
from typing import Any

from hearten.config import system_folder

INTENDED = (
    "Research on empathetic conversation, and companions that listen. It is a program, not a person and not therapy; "
    "it can misread people and say the wrong thing. Put a person in reach wherever it is used."
)


def write(folder: Path) -> str:
    """Return the card of the model in a folder."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    parts = [
        f"# {config['system']} ({config['preset']})",
        _about(config["system"]),
        f"Made by hearten {config['version']} with `{config['command']}`, seed {config['seed']}.",
        f"## Intended use and limits\n\n{INTENDED}",
        _data(config["data"]),
        _scores(folder / "metrics.json"),
        f"## Settings\n\n```json\n{json.dumps(config['settings'], indent=1)}\n```",
        f"## Training\n\n```json\n{json.dumps(config['stages'], indent=1)}\n```",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(system: str) -> str:
    """Return the opening of the system's own README, without its heading."""
    readme = system_folder(system) / "README.md"
    if not readme.is_file():
        return ""
    body = readme.read_text(encoding="utf-8").partition("\n")[2].strip()
    return body.split("\n## ")[0].strip()


def _data(used: dict[str, str]) -> str:
    rows = "\n".join(f"| {name} | `{digest}` |" for name, digest in used.items())
    return f"## Data\n\n| corpus and split | SHA-256 |\n| --- | --- |\n{rows}" if rows else ""


def _scores(path: Path) -> str:
    if not path.is_file():
        return ""
    scores: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["scores"]
    rows = "\n".join(
        f"| {s['metric']} | {s['value']:.2f} | {s['low']:.2f} to {s['high']:.2f} | {s['split']} "
        f"| `{in_cell(s['signature'])}` |"
        for s in scores
    )
    return (
        f"## Scores\n\n| metric | value | 95% interval | split | signature |\n| --- | --- | --- | --- | --- |\n{rows}"
    )


def in_cell(text: str) -> str:
    """Keep a vertical bar from ending a cell of a Markdown table."""
    return text.replace("|", r"\|")
