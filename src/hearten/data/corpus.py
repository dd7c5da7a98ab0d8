"""What a corpus is: where it comes from, under which licence, and how its files become dialogues or labelled texts.

A corpus file in `corpora/` subclasses `DialogueCorpus` or `TextCorpus` and ends with `PLUGIN = TheClass()`.
Nothing is dropped in silence: a row that cannot be used is reported with its file and line.
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
    """Collects malformed rows; in strict mode the first one is an error."""

    strict: bool = False
    rows: list[str] = field(default_factory=list)

    def report(self, path: Path, line: int, message: str) -> None:
        """Note that a row was not used."""
        row = f"{path}:{line}: {message}"
        if self.strict:
            raise MalformedRow(row)
        self.rows.append(row)

    def summary(self, shown: int = 5) -> str:
        """Say how many rows were left out and show the first ones; empty when there were none."""
        if not self.rows:
            return ""
        more = f"\n  ... and {len(self.rows) - shown} more" if len(self.rows) > shown else ""
        listed = "".join(f"\n  {row}" for row in self.rows[:shown])
        return f"{len(self.rows)} malformed rows were left out:{listed}{more}"

    def tell(self) -> None:
        """Print the summary to stderr, if there is anything to say."""
        if self.rows:
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


class DialogueCorpus(Corpus):
    """A corpus of conversations."""

    @abstractmethod
    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the dialogues of a split in file order."""


class TextCorpus(Corpus):
    """A corpus of texts with one label each."""

    @abstractmethod
    def texts(self, folder: Path, split: str, problems: Problems) -> Iterator[Labelled]:
        """Yield the labelled texts of a split in file order."""
