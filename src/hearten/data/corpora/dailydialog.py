"""DailyDialog: everyday conversations written for learners of English, with an emotion number for each turn.

Li et al., IJCNLP 2017, https://aclanthology.org/I17-1099. The one who begins is the speaker, the other the listener.
Emotion numbers become the nearest of the 41 labels: no emotion is `neutral`, happiness `joyful`, fear `afraid`, and so
on (`labels.BASIC_EMOTIONS`). A line with another number of turns than of emotions is reported and left out; in the
official training file that is line 7852 alone. Read from the official zip files, or from the text files in them.
"""

import io
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from hearten.data.corpus import DialogueCorpus, Problems
from hearten.data.files import first_present, open_text
from hearten.data.labels import BASIC_EMOTIONS
from hearten.dialogue import Dialogue, Turn
from hearten.errors import UserError

NAMES = {"train": "train", "valid": "validation", "test": "test"}
NUMBERED = ("neutral", "anger", "disgust", "fear", "happiness", "sadness", "surprise")
EMOTION_OF = {str(number): BASIC_EMOTIONS[name] for number, name in enumerate(NUMBERED)}
END_OF_TURN = "__eou__"


class DailyDialog(DialogueCorpus):
    """The official splits."""

    title = "DailyDialog (Li et al. 2017)"
    licence = "CC BY-NC-SA 4.0"
    citation = (
        "Yanran Li, Hui Su, Xiaoyu Shen, Wenjie Li, Ziqiang Cao, Shuzi Niu. DailyDialog: A Manually Labelled "
        "Multi-turn Dialogue Dataset. IJCNLP 2017."
    )
    advice = (
        "Get train.zip, validation.zip and test.zip from the archive on the authors' page, http://yanran.li/dailydialog"
    )

    def files(self, folder: Path) -> dict[str, Path]:
        """Map train, valid and test to a zip file or to the text file of the dialogues."""
        found = {
            split: first_present(folder, f"{name}.zip", f"dialogues_{name}.txt", f"{name}/dialogues_{name}.txt")
            for split, name in NAMES.items()
        }
        return {split: path for split, path in found.items() if path is not None}

    def extras(self, folder: Path) -> list[Path]:
        """List the emotion files that lie beside unpacked dialogues."""
        beside = [_emotions_beside(path) for path in self.files(folder).values() if path.suffix != ".zip"]
        return [path for path in beside if path.is_file()]

    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the dialogues in file order."""
        path = self.files(folder)[split]
        with ExitStack() as stack:
            texts, emotions = _open(path, NAMES[split], stack)
            for line, (text, numbers) in enumerate(zip_longest(texts, emotions, fillvalue=""), start=1):
                turns = _turns(text, numbers.split())
                if turns is None:
                    problems.report(path, line, _mismatch(text, numbers))
                else:
                    yield Dialogue(f"{split}:{line}", turns)


def _open(path: Path, name: str, stack: ExitStack) -> tuple[TextIO, TextIO]:
    if path.suffix != ".zip":
        beside = _emotions_beside(path)
        if not beside.is_file():
            raise UserError(f"{path} lies there without its emotions; put {beside.name} beside it")
        return stack.enter_context(open_text(path)), stack.enter_context(open_text(beside))
    try:
        archive = stack.enter_context(zipfile.ZipFile(path))
        members = [f"{name}/dialogues_{name}.txt", f"{name}/dialogues_emotion_{name}.txt"]
        texts, emotions = (io.TextIOWrapper(archive.open(m), encoding="utf-8", newline="\n") for m in members)
    except (zipfile.BadZipFile, KeyError) as error:
        raise UserError(f"{path} is not the official zip file ({error}); fetch it again") from None
    return stack.enter_context(texts), stack.enter_context(emotions)


def _emotions_beside(path: Path) -> Path:
    return path.with_name(path.name.replace("dialogues_", "dialogues_emotion_", 1))


def _pieces(text: str) -> list[str]:
    return [piece.strip() for piece in text.strip().removesuffix(END_OF_TURN).split(END_OF_TURN)]


def _turns(text: str, numbers: list[str]) -> tuple[Turn, ...] | None:
    pieces = _pieces(text)
    if len(pieces) != len(numbers) or not all(pieces) or not EMOTION_OF.keys() >= set(numbers):
        return None
    return tuple(
        Turn("listener" if position % 2 else "speaker", piece, EMOTION_OF[number])
        for position, (piece, number) in enumerate(zip(pieces, numbers, strict=True))
    )


def _mismatch(text: str, numbers: str) -> str:
    if not all(_pieces(text)):
        return "an empty turn"
    return f"{len(_pieces(text))} turns but the emotion numbers '{numbers.strip()}'"


PLUGIN = DailyDialog()
