"""EmpatheticDialogues: conversations about a situation in which the speaker felt one of 32 emotions.

Rashkin et al., ACL 2019, https://aclanthology.org/P19-1534. The files are not CSV in the usual sense: nothing is
quoted, commas inside a field are written `_comma_`, and a bare `"` may stand anywhere. A CSV reader with default
quoting swallows thousands of rows, so lines are split on commas here. The official valid and test files hold a ninth
field, retrieval candidates, which is not used.

A conversation is kept up to its first unusable row; the rows after it are reported too, since their context is gone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from hearten.data.corpus import Archive, DialogueCorpus, Problems
from hearten.data.files import first_present, open_text, present_splits
from hearten.data.labels import read_labels, with_intents
from hearten.dialogue import Dialogue, Turn
from hearten.taxonomy import EMOTIONS

COLUMNS = ["conv_id", "utterance_idx", "context", "prompt", "speaker_idx", "utterance", "selfeval", "tags"]
CONV_ID = re.compile(r"hit:\d+_conv:\d+")
KNOWN_EMOTIONS = frozenset(EMOTIONS)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file: a turn and what is said of its conversation."""

    line: int
    conv_id: str
    number: int
    emotion: str
    situation: str
    text: str


class EmpatheticDialogues(DialogueCorpus):
    """The corpus in its official layout, plain or gzip."""

    title = "EmpatheticDialogues (Rashkin et al. 2019)"
    licence = "CC BY-NC 4.0"
    citation = (
        "Hannah Rashkin, Eric Michael Smith, Margaret Li, Y-Lan Boureau. Towards Empathetic Open-domain Conversation "
        "Models: a New Benchmark and Dataset. ACL 2019."
    )
    archive: ClassVar[Archive | None] = Archive(
        url="https://dl.fbaipublicfiles.com/parlai/empatheticdialogues/empatheticdialogues.tar.gz",
        sha256="56f234d77b7dd1f005fd365bb17769cfe346c3c84295b69bc069c8ccb83be03d",
        members=(
            "empatheticdialogues/train.csv",
            "empatheticdialogues/valid.csv",
            "empatheticdialogues/test.csv",
        ),
    )
    labelled_by: ClassVar[str | None] = "empathetic_intents"

    def files(self, folder: Path) -> dict[str, Path]:
        """Map train, valid and test to their files."""
        return present_splits(folder, {split: f"{split}.csv" for split in ("train", "valid", "test")})

    def extras(self, folder: Path) -> list[Path]:
        """List the table of listener intents, if there is one."""
        intents = first_present(folder, "intents.csv")
        return [intents] if intents else []

    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the conversations in file order, with the labels of `intents.csv` if that lies beside."""
        read = _conversations(self.files(folder)[split], problems)
        for intents in self.extras(folder):
            read = with_intents(read, read_labels(intents, problems))
        yield from read


def _conversations(path: Path, problems: Problems) -> Iterator[Dialogue]:
    seen: set[str] = set()
    for conv_id, rows in groupby(_rows(path, problems), key=lambda row: row.conv_id):
        again = conv_id in seen
        seen.add(conv_id)
        if again:
            for row in rows:
                problems.report(path, row.line, f"{conv_id} has come before; rows of a conversation belong together")
            continue
        kept = _in_order(rows, path, problems)
        if kept:
            yield _dialogue(kept)


def _in_order(rows: Iterator[Row], path: Path, problems: Problems) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        if row.number != len(kept) + 1:
            problems.report(path, row.line, f"utterance_idx {row.number} where {len(kept) + 1} should follow")
        elif kept and row.emotion != kept[0].emotion:
            problems.report(path, row.line, f"emotion '{row.emotion}' in a conversation about '{kept[0].emotion}'")
        else:
            kept.append(row)
    return kept


def _dialogue(rows: list[Row]) -> Dialogue:
    turns = tuple(Turn("speaker" if row.number % 2 else "listener", row.text) for row in rows)
    return Dialogue(rows[0].conv_id, turns, rows[0].emotion, rows[0].situation)


def _rows(path: Path, problems: Problems) -> Iterator[Row]:
    with open_text(path) as file:
        for line, text in enumerate(file, start=1):
            fields = text.rstrip("\r\n").split(",")
            wrong = _wrong_header(fields) if line == 1 else _wrong(fields)
            if wrong:
                problems.report(path, line, wrong)
            elif line > 1:
                yield _row(line, fields)


def _wrong_header(fields: list[str]) -> str:
    return "" if fields[: len(COLUMNS)] == COLUMNS else f"the first line should be {','.join(COLUMNS)}"


def _wrong(fields: list[str]) -> str:
    """Say what is wrong with a row; empty when it can be used."""
    if len(fields) < len(COLUMNS):
        return f"{len(fields)} fields where {len(COLUMNS)} are needed"
    conv_id, number, emotion, _, _, text, *_ = fields
    if not CONV_ID.fullmatch(conv_id):
        return f"conv_id '{conv_id}' is not of the form hit:<number>_conv:<number>"
    if not number.isdecimal():
        return f"utterance_idx '{number}' is not a number"
    if emotion not in KNOWN_EMOTIONS:
        return f"unknown emotion '{emotion}'"
    return "" if text.strip() else "the utterance is empty"


def _row(line: int, fields: list[str]) -> Row:
    conv_id, number, emotion, situation, _, text, *_ = fields
    return Row(line, conv_id, int(number), emotion, _plain(situation), _plain(text))


def _plain(text: str) -> str:
    return text.replace("_comma_", ",").strip()


PLUGIN = EmpatheticDialogues()
