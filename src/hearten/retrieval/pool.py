"""The candidates of a retrieval system, from corpora and text files."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hearten.data import source
from hearten.data.candidates import Candidate
from hearten.data.files import open_text
from hearten.dialogue import Sides, turn_id
from hearten.errors import UserError
from hearten.retrieval.screen import Screened, screen


def gather(names: Sequence[str], longest: int, strictly: bool, sides: Sides = "both") -> Screened:
    """Collect replies from the training splits of corpora and from text files with one a line, in this order."""
    found = screen((candidate for name in names for candidate in _offered(name, sides)), longest, strictly)
    if not found.kept:
        raise UserError(f"there is no reply to choose from in {', '.join(names)}; name another pool or raise its limit")
    return found


def _offered(name: str, sides: Sides) -> Iterator[Candidate]:
    """Yield the turns that answer something, which the first of a dialogue does not; or the lines of a file."""
    path = Path(name)
    if path.is_file():
        with open_text(path) as file:
            for line, text in enumerate(file, start=1):
                yield Candidate(f"{path.name}:{line}", text.strip())
        return
    with closing(source.dialogues(name, "train")) as dialogues:
        for dialogue in dialogues:
            for position, turn in enumerate(dialogue.turns[1:], start=1):
                if sides == "both" or turn.role == "listener":
                    yield Candidate(turn_id(dialogue, position), turn.text)
