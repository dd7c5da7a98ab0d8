"""Plug-ins by name: the modules of a package, and entry points of other distributions, under one roof.

A module's name is the plug-in's only name, and the module's `PLUGIN` is the plug-in. Listing imports nothing.
"""

import difflib
import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from hearten.errors import MissingExtra, UserError

PACKAGES = {
    "system": "hearten.systems",
    "corpus": "hearten.data.corpora",
    "metric": "hearten.evaluation.metrics",
    "engine": "hearten.engines.runtimes",
}


class UnknownName(UserError):
    """A plug-in that nobody provides."""


@cache
def providers(kind: str) -> dict[str, str]:
    """Map each name of a kind to the module (or `module:attribute`) that provides it."""
    package = importlib.import_module(PACKAGES[kind])
    found = {m.name: f"{package.__name__}.{m.name}" for m in pkgutil.iter_modules(package.__path__)}
    found = {name: module for name, module in found.items() if not name.startswith("_")}
    for point in entry_points(group=PACKAGES[kind]):
        if point.name in found:
            raise UserError(f"two packages provide the {kind} '{point.name}': {found[point.name]} and {point.value}")
        found[point.name] = point.value
    return dict(sorted(found.items()))


def names(kind: str) -> list[str]:
    """List the names of a kind, without importing any of them."""
    return list(providers(kind))


def provider(kind: str, name: str) -> str:
    """Return who provides a plug-in; an unknown name answers with near matches and the whole list."""
    known = providers(kind)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
        raise UnknownName(f"there is no {kind} '{name}'{hint} Known: {', '.join(known)}")
    return known[name]


def load(kind: str, name: str) -> Any:
    """Import and return the plug-in of this name."""
    module, _, attribute = provider(kind, name).partition(":")
    return getattr(_imported(module, f"the {kind} '{name}'"), attribute or "PLUGIN")


def _imported(module: str, what: str) -> ModuleType:
    """Import a module; where one of ours lacks a package of the optional extra, say so."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        is_ours = module.startswith("hearten.") and not str(error.name).startswith("hearten")
        raise (MissingExtra(what) if is_ours else error) from error
