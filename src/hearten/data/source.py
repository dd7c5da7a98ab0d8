"""From a corpus name to its dialogues, examples and texts: finds the folder, reads it, reports what is unusable."""

import hashlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TypeVar

from hearten import registry
from hearten.data.corpus import Corpus, DialogueCorpus, LabelsTurns, Problems, TextCorpus
from hearten.data.labels import with_intents
from hearten.dialogue import Dialogue, Example, Labelled, Sides, Turn, examples
from hearten.errors import UserError
from hearten.places import data_folders

Item = TypeVar("Item", Dialogue, Labelled)


class MissingCorpus(UserError):
    """A corpus whose files are not on this machine."""


def corpus(name: str) -> Corpus:
    """Return the corpus of this name."""
    found: Corpus = registry.load("corpus", name)
    return found


def parts(name: str) -> list[str]:
    """Split a mixture of corpora, `dailydialog+personachat`, into their names."""
    return name.split("+")


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


def dialogues(name: str, split: str, strict: bool = False, problems: Problems | None = None) -> Generator[Dialogue]:
    """Yield the dialogues of a corpus. Malformed rows go to `problems`, or to stderr at the end."""
    plugin = corpus(name)
    if not isinstance(plugin, DialogueCorpus):
        raise UserError(f"'{name}' holds labelled texts, not dialogues; see: hearten list corpora")
    return _read(plugin.dialogues, name, split, strict, problems)


def texts(name: str, split: str, strict: bool = False, problems: Problems | None = None) -> Generator[Labelled]:
    """Yield the labelled texts of a corpus. Malformed rows go to `problems`, or to stderr at the end."""
    plugin = corpus(name)
    if not isinstance(plugin, TextCorpus):
        raise UserError(f"'{name}' holds dialogues, not labelled texts; see: hearten list corpora")
    return _read(plugin.texts, name, split, strict, problems)


def _read(
    read: Callable[[Path, str, Problems], Iterator[Item]], name: str, split: str, strict: bool, given: Problems | None
) -> Generator[Item]:
    file_of(name, split)
    problems = Problems(strict) if given is None else given
    try:
        yield from read(folder_of(name), split, problems)
    finally:
        if given is None:
            problems.tell()


def load_examples(
    name: str,
    split: str,
    sides: Sides = "listener",
    window: int | None = None,
    limit: int | None = None,
    labelled: bool = False,
) -> list[Example]:
    """Return the examples of a split; `limit` counts dialogues, `labelled` keeps only replies that carry a label.

    Names joined by `+` are read one after the other. A labelled text becomes an example without a context, whose
    reply is the text with its label.
    """
    if "+" in name:
        each = (load_examples(part, split, sides, window, limit, labelled) for part in parts(name))
        return [example for found in each for example in found]
    if isinstance(corpus(name), TextCorpus):
        with closing(texts(name, split)) as found:
            return [Example(text.id, (), Turn("speaker", text.text, text.label)) for text in islice(found, limit)]
    read = labelled_dialogues(name, split) if labelled else dialogues(name, split)
    with closing(read):
        chosen = [example for dialogue in islice(read, limit) for example in examples(dialogue, sides, window)]
    if not labelled:
        return chosen
    kept = [example for example in chosen if example.reply.label is not None]
    if chosen and not kept:
        raise UserError(f"no reply in '{name}' ({split}) carries an emotion or intent label; choose another corpus")
    return kept


def labelled_dialogues(name: str, split: str) -> Generator[Dialogue]:
    """Yield the dialogues of a corpus, joined with their turn labels where these are published as another corpus."""
    plugin = corpus(name)
    beside = plugin.labelled_by if isinstance(plugin, DialogueCorpus) else None
    if beside is None:
        yield from dialogues(name, split)
        return
    labeller = corpus(beside)
    assert isinstance(labeller, LabelsTurns)
    problems = Problems()
    labels = labeller.turn_labels(folder_of(beside), problems)
    problems.tell()
    yield from with_intents(dialogues(name, split), labels)


def checksum(name: str, split: str) -> str:
    """Return the SHA-256 of a split's main file, to say later which data a score was measured on."""
    with file_of(name, split).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
