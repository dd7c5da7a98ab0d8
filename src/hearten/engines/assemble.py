"""Base weights and deltas made into the files of an engine, once, in the user's cache; needs no torch.

A folder is keyed by everything that goes into it: the hashes of base and deltas, the engine, the precision and the
recipe below. It appears whole or not at all, with a manifest; files that changed since are never opened.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from tokenizers import Tokenizer

from hearten import places, registry
from hearten.backbones import fetch, manifest
from hearten.backbones.locking import alone
from hearten.engines import delta as deltas
from hearten.engines import gguf_files
from hearten.engines.engine import DEFAULT, Engine, Runtime, open_engine
from hearten.engines.llama import Llama, llama
from hearten.errors import UserError

RECIPE = 1
"""Raise it when the files of an engine come out differently, so that old ones are not used."""
SETTINGS = "engine.json"
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Source:
    """What an engine is made of: a backbone, and the deltas that were learned on top of it, one after the other."""

    backbone: str
    deltas: tuple[Path, ...] = ()
    sha256: tuple[str, ...] = ()
    """Of the deltas, where they are known beforehand."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A model folder that was trained here, with all its weights."""

    folder: Path

    @property
    def backbone(self) -> str:
        """What the engine's files are named after."""
        return self.folder.resolve().name


@dataclass(frozen=True, slots=True)
class Served:
    """An open engine with the tokenizer of its model."""

    engine: Engine
    tokenizer: Tokenizer
    end: int


def serve(
    source: Source | Trained, engine: str = DEFAULT, precision: str | None = None, threads: int = 1, workers: int = 1
) -> Served:
    """Open an engine, assembling its files when that has not been done."""
    place = assembled(source, engine, precision)
    end = int(json.loads((place / SETTINGS).read_text(encoding="utf-8"))["end"])
    tokenizer = Tokenizer.from_file(str(place / TOKENIZER))
    return Served(open_engine(engine, place, end, threads, workers), tokenizer, end)


def assembled(source: Source | Trained, engine: str = DEFAULT, precision: str | None = None) -> Path:
    """Return the folder with an engine's files, assembling them when they are absent or damaged."""
    runtime: Runtime = registry.load("engine", engine)
    precision = precision or runtime.precisions[0]
    if precision not in runtime.precisions:
        raise UserError(f"the engine '{engine}' has no precision '{precision}'; it has {', '.join(runtime.precisions)}")
    made_of = {**_hashes(source), "engine": engine, "precision": precision, "recipe": RECIPE}
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:12]
    place = places.cache_folder() / "engines" / f"{source.backbone}-{engine}-{precision}-{key}"
    if not _is_whole(place):  # asked first without the lock: a read-only cache has none
        with alone(place.name):
            if not _is_whole(place):
                _assemble(source, runtime, precision, place, made_of)
    return place


def base_file(backbone: str) -> tuple[Path, str]:
    """Return the GGUF file of a backbone, pulled when it is not here, and its hash."""
    place = fetch.folder(backbone)
    found = manifest.read(place)
    for name, entry in (found.files if found else {}).items():
        if name.endswith(".gguf"):
            return place / name, entry.sha256
    raise UserError(f"the backbone '{backbone}' has no GGUF file; engines are assembled from GGUF weights")


def _hashes(source: Source | Trained) -> dict[str, str | None]:
    """Return the hashes of base and deltas. A delta names its base, which need not be here once all is assembled."""
    if isinstance(source, Trained):
        weights = source.folder / "model.safetensors"
        if not weights.is_file():
            raise UserError(f"{source.folder} does not hold a trained model: it has no {weights.name}")
        return {"base": manifest.sha256(weights), "delta": None}
    if not source.deltas:
        return {"base": base_file(source.backbone)[1], "delta": None}
    found = tuple(manifest.sha256(path) for path in source.deltas)
    for path, learned, expected in zip(source.deltas, found, source.sha256 or found, strict=True):
        if learned != expected:
            raise UserError(f"{path} is not the delta it should be (SHA-256 {learned[:16]}…); install hearten again")
    base, *others = {deltas.base_of(path) for path in source.deltas}
    if others:
        raise UserError(f"the deltas {', '.join(map(str, source.deltas))} were learned on top of different weights")
    return {"base": base, "delta": " ".join(found)}


def _is_whole(place: Path) -> bool:
    kept = manifest.read(place)
    return kept is not None and kept.source == place.name and not manifest.changed(place, kept)


def _assemble(
    source: Source | Trained, runtime: Runtime, precision: str, place: Path, made_of: Mapping[str, object]
) -> None:
    with _steps(place.name, 4) as step, places.whole_folder(place) as draft:
        model = _trained(source, step) if isinstance(source, Trained) else _put_together(source, made_of["base"], step)
        step("writing the engine's files")
        runtime.write(model, draft, precision)
        model.tokenizer.save(str(draft / TOKENIZER))
        (draft / SETTINGS).write_text(json.dumps({"end": model.end, **made_of}, indent=1) + "\n", encoding="utf-8")
        manifest.take(draft, source.backbone, place.name)


def _trained(source: Trained, step: "_Steps") -> Llama:
    from hearten.engines.learned import read_folder

    step("reading the model")
    return read_folder(source.folder)


def _put_together(source: Source, base: object, step: "_Steps") -> Llama:
    step("fetching the base")
    path, sha256 = base_file(source.backbone)
    if sha256 != base:
        raise UserError(
            f"the delta {source.deltas[0]} belongs to other weights than {path} (SHA-256 {sha256[:16]}… instead of "
            f"{str(base)[:16]}…); run: hearten models pull --force {source.backbone}"
        )
    step("reading the base")
    model = gguf_files.read(path)
    step("adding what was learned")
    return with_deltas(model, *source.deltas)


def with_deltas(model: Llama, *paths: Path) -> Llama:
    """Return a model with deltas added to its weights."""
    return llama(model.shape, deltas.added(model.tensors, paths), model.tokenizer)


class _Steps:
    """Shows which of a few steps is running."""

    def __init__(self, progress: Progress, count: int) -> None:
        self._progress, self._done = progress, 0
        self._task = progress.add_task("", total=count)

    def __call__(self, what: str) -> None:
        self._progress.update(self._task, description=what, completed=self._done)
        self._done += 1


@contextmanager
def _steps(what: str, count: int) -> Iterator[_Steps]:
    console = Console(stderr=True)
    console.print(f"assembling {what}, once; it is kept for the next time")
    with Progress(TextColumn("{task.description:<28}"), BarColumn(), TimeElapsedColumn(), console=console) as progress:
        yield _Steps(progress, count)
