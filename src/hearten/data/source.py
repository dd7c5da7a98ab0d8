"""From a corpus name to its dialogues, examples and texts: finds the folder, reads it, reports what is unusable."""

import hashlib
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path

from hearten import registry
from hearten.data.corpus import Corpus, DialogueCorpus, Problems, TextCorpus
from hearten.dialogue import Dialogue, Example, Labelled, Sides, examples
from hearten.errors import UserError
from hearten.places import data_folders


class MissingCorpus(UserError):
    """A corpus whose files are not on this machine."""


def corpus(name: str) -> Corpus:
    """Return the corpus of this name."""
    found: Corpus = registry.load("corpus", name)
    return found


def folder_of(name: str) -> Path:
    """Find the folder that holds a corpus, or say what to do."""
    plugin = corpus(name)
    shipped = Path(str(files("hearten.data"))) / name
    for folder in [*(place / name for place in data_folders()), shipped]:
        if folder.is_dir() and plugin.files(folder):
            return folder
    raise MissingCorpus(
        f"corpus '{name}' is not on this machine; run: hearten data get {name}\n"
        f"or put its files in a folder '{name}' and name the folder above it: export HEARTEN_DATA=/path/to/data"
    )


def file_of(name: str, split: str) -> Path:
    """Find the main file of a split."""
    folder = folder_of(name)
    present = corpus(name).files(folder)
    if split not in present:
        raise UserError(f"corpus '{name}' in {folder} has no split '{split}'; it has: {', '.join(present)}")
    return present[split]


def dialogues(name: str, split: str, strict: bool = False, problems: Problems | None = None) -> Iterator[Dialogue]:
    """Yield the dialogues of a corpus. Malformed rows go to `problems`, or to stderr at the end."""
    plugin = corpus(name)
    if not isinstance(plugin, DialogueCorpus):
        raise UserError(f"'{name}' holds labelled texts, not dialogues; see: hearten list corpora")
    file_of(name, split)
    found = problems or Problems(strict)
    yield from plugin.dialogues(folder_of(name), split, found)
    if problems is None:
        found.tell()


def texts(name: str, split: str, strict: bool = False, problems: Problems | None = None) -> Iterator[Labelled]:
    """Yield the labelled texts of a corpus."""
    plugin = corpus(name)
    if not isinstance(plugin, TextCorpus):
        raise UserError(f"'{name}' holds dialogues, not labelled texts; see: hearten list corpora")
    file_of(name, split)
    found = problems or Problems(strict)
    yield from plugin.texts(folder_of(name), split, found)
    if problems is None:
        found.tell()


def load_examples(
    name: str, split: str, sides: Sides = "listener", window: int | None = None, limit: int | None = None
) -> list[Example]:
    """Return the examples of a split; `limit` counts dialogues."""
    chosen = islice(dialogues(name, split), limit)
    return [example for dialogue in chosen for example in examples(dialogue, sides, window)]


def checksum(name: str, split: str) -> str:
    """Return the SHA-256 of a split's main file, to say later which data a score was measured on."""
    with file_of(name, split).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
