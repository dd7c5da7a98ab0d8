"""PersonaChat as released for ConvAI2: two strangers get to know each other, each with a made-up persona.

Zhang et al., ACL 2018, https://aclanthology.org/P18-1205. The partner is the speaker; the one whose persona is known is
the listener. Two layouts are read:

- `<split>_self_original_no_cands.txt`: numbered lines, first `your persona: ...`, then `partner<TAB>own`; the number 1
  starts a new dialogue.
- `train_head_10000.tsv`: `persona<TAB>source<TAB>target`. `source` holds the partner's last turn only, not the
  history, and the rows of a dialogue follow each other, so a dialogue is rebuilt from consecutive rows of one persona.
  Two dialogues in a row with the same persona would be taken for one, and the last is cut off where the file ends.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from hearten.data.corpus import DialogueCorpus, Problems
from hearten.data.files import first_present, open_text
from hearten.dialogue import Dialogue, Turn

PERSONA = "your persona:"
TABLE_HEADER = ["persona", "source", "target"]
Exchange = tuple[tuple[str, ...], str, str]


class PersonaChat(DialogueCorpus):
    """ConvAI2's training and validation dialogues."""

    title = "PersonaChat, ConvAI2 (Zhang et al. 2018)"
    licence = "none stated (distributed with ParlAI, MIT)"
    citation = (
        "Saizheng Zhang, Emily Dinan, Jack Urbanek, Arthur Szlam, Douwe Kiela, Jason Weston. Personalizing Dialogue "
        "Agents: I have a dog, do you have pets too? ACL 2018."
    )
    advice = (
        "Get valid_self_original_no_cands.txt (and train_self_original_no_cands.txt) of the ConvAI2 task of ParlAI, "
        "or train_head_10000.tsv."
    )

    def files(self, folder: Path) -> dict[str, Path]:
        """Map train and valid to their files; the complete training file wins over its head."""
        found = {
            "train": first_present(folder, "train_self_original_no_cands.txt", "train_head_10000.tsv"),
            "valid": first_present(folder, "valid_self_original_no_cands.txt"),
        }
        return {split: path for split, path in found.items() if path is not None}

    def dialogues(self, folder: Path, split: str, problems: Problems) -> Iterator[Dialogue]:
        """Yield the dialogues in file order."""
        path = self.files(folder)[split]
        tabular = path.name.removesuffix(".gz").endswith(".tsv")
        read = _from_table(path, problems) if tabular else _from_numbered_lines(path, problems)
        yield from (Dialogue(f"{split}:{n}", turns, persona=persona) for n, (persona, turns) in enumerate(read))


Found = Iterator[tuple[tuple[str, ...], tuple[Turn, ...]]]


def _from_table(path: Path, problems: Problems) -> Found:
    for persona, rows in groupby(_exchanges(path, problems), key=lambda row: row[0]):
        yield persona, tuple(turn for _, partner, own in rows for turn in _pair(partner, own))


def _exchanges(path: Path, problems: Problems) -> Iterator[Exchange]:
    with open_text(path) as file:
        for line, text in enumerate(file, start=1):
            fields = [field.strip() for field in text.rstrip("\r\n").split("\t")]
            if line == 1 and fields == TABLE_HEADER:
                continue
            if len(fields) != len(TABLE_HEADER) or not all(fields):
                problems.report(path, line, f"not of the form {'<TAB>'.join(TABLE_HEADER)}")
                continue
            persona, source, target = fields
            yield tuple(sentence.strip() for sentence in persona.split("</s>")), source, target


def _from_numbered_lines(path: Path, problems: Problems) -> Found:
    persona: list[str] = []
    turns: list[Turn] = []
    with open_text(path) as file:
        for line, text in enumerate(file, start=1):
            number, _, content = text.rstrip("\r\n").partition(" ")
            if number == "1" and turns:
                yield tuple(persona), tuple(turns)
                persona, turns = [], []
            partner, _, own = (part.strip() for part in content.partition("\t"))
            if content.startswith(PERSONA):
                persona.append(content.removeprefix(PERSONA).strip())
            elif number.isdecimal() and partner and own and "\t" not in own:
                turns += _pair(partner, own)
            else:
                problems.report(path, line, f"neither '<number> {PERSONA} ...' nor '<number> <partner><TAB><own>'")
    if turns:
        yield tuple(persona), tuple(turns)


def _pair(partner: str, own: str) -> tuple[Turn, Turn]:
    return Turn("speaker", partner), Turn("listener", own)


PLUGIN = PersonaChat()
