"""What a corpus is: where it comes from, under which licence, and how its files become dialogues or labelled texts.

A corpus file in `corpora/` subclasses `DialogueCorpus` or `TextCorpus` and ends with `PLUGIN = TheClass()`.
Nothing is dropped in silence: a row that cannot be used is reported with its file and line, and rows that are left out
for another reason are counted in a remark.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hearten.dialogue import Dialogue, Labelled
from hearten.errors import UserError


class MalformedRow(UserError):
    """A row that cannot be used, met in strict mode."""


@dataclass
class Problems:
    """Collects malformed rows, of which in strict mode the first is an error, and remarks, which never are."""

    strict: bool = False
    rows: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def report(self, path: Path, line: int, message: str) -> None:
        """Note that a row was not used."""
        row = f"{path}:{line}: {message}"
        if self.strict:
            raise MalformedRow(row)
        self.rows.append(row)

    def remark(self, message: str) -> None:
        """Note something about a whole file that its readers should know and that is no mistake of the file."""
        self.remarks.append(message)

    def summary(self, shown: int = 5) -> str:
        """Say how many rows were left out and show the first ones; empty when there is nothing to say."""
        lines = list(self.remarks)
        if self.rows:
            lines += [f"{len(self.rows)} malformed rows were left out:", *(f"  {row}" for row in self.rows[:shown])]
        if len(self.rows) > shown:
            lines.append(f"  ... and {len(self.rows) - shown} more")
        return "\n".join(lines)

    def tell(self) -> None:
        """Print the summary to stderr, if there is anything to say."""
        if self.rows or self.remarks:
            print(self.summary(), file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Archive:
    """An official download: where it lies, what it must hash to, and which members of it are kept."""

    url: str
    sha256: str
    members: tuple[str, ...]


class Corpus(ABC):
    """Common to both kinds."""

    title: ClassVar[str]
    licence: ClassVar[str]
    citation: ClassVar[str]
    archive: ClassVar[Archive | None] = None
    advice: ClassVar[str] = ""
    """What to do when there is no official download that we may fetch."""

    @abstractmethod
    def files(self, folder: Path) -> dict[str, Path]:
        """Map each split that is present in the folder to its (main) file."""

    def extras(self, folder: Path) -> list[Path]:
        """List the files in the folder that belong to the corpus besides those of `files`."""
        return []


class DialogueCorpus(Corpus):
    """A corpus of conversations."""

    labelled_by: ClassVar[str | None] = None
    """Name of the corpus that labels this one's turns (a `LabelsTurns`), where the labels are published apart."""

    @abstractmethod
    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the dialogues of a split in file order."""


TurnLabels = dict[tuple[str, int], str]
"""The label of a turn by the dialogue's name and the turn's number; number 0 is the situation."""


class LabelsTurns(ABC):
    """A corpus that holds labels for the turns of another."""

    @abstractmethod
    def turn_labels(self, folder: Path, problems: Problems) -> TurnLabels:
        """Return all labels in the folder."""


class TextCorpus(Corpus):
    """A corpus of texts with one label each."""

    @abstractmethod
    def texts(self, folder: Path, split: str, problems: Problems) -> Iterator[Labelled]:
        """Yield the labelled texts of a split in file order."""
