"""Opening the text files of corpora: plain or gzip, always UTF-8, and tables with a header line."""

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from hearten.data.corpus import Problems
from hearten.errors import UserError

Row = dict[str, str]


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a plain or gzip file as text. Lines end at line feeds only, as every corpus here has it."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8-sig", newline="\n") as packed:
                yield packed
        else:
            with path.open(encoding="utf-8-sig", newline="\n") as plain:
                yield plain
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        raise UserError(f"{path} is damaged or not UTF-8 text ({error}); fetch it again") from None


def first_present(folder: Path, *names: str) -> Path | None:
    """Return the first of the named files that lies in the folder, plain or with `.gz` added."""
    places = (folder / f"{name}{packed}" for name in names for packed in ("", ".gz"))
    return next((place for place in places if place.is_file()), None)


def present_splits(folder: Path, names: dict[str, str]) -> dict[str, Path]:
    """Map each split to its file, given the file's plain name, leaving out what is absent."""
    found = {split: first_present(folder, name) for split, name in names.items()}
    return {split: path for split, path in found.items() if path is not None}


def table(path: Path, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a quoted CSV file with the line each ends on; rows of a wrong width are reported.

    `columns` are those that the caller uses; the file may hold others.
    """
    with open_text(path) as file:
        reader = csv.reader(file, strict=True)
        header = next(reader, [])
        if missing := [name for name in columns if name not in header]:
            problems.report(path, 1, f"the header lacks {', '.join(missing)}; the whole file is left out")
            return
        try:
            for fields in reader:
                if len(fields) == len(header):
                    yield reader.line_num, dict(zip(header, fields, strict=True))
                else:
                    problems.report(path, reader.line_num, f"{len(fields)} fields where the header has {len(header)}")
        except csv.Error as error:
            problems.report(path, reader.line_num, f"not readable as CSV from here on ({error})")
