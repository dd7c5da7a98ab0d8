"""Looking at corpora: what there is, and what the first dialogues or texts say."""

from collections.abc import Generator
from contextlib import closing
from itertools import islice

from hearten import registry
from hearten.data import source
from hearten.data.corpus import DialogueCorpus
from hearten.dialogue import Dialogue, Labelled
from hearten.errors import UserError


def overview() -> list[dict[str, str]]:
    """Describe each corpus: name, kind, title, licence, and the folder where it lies (empty when absent)."""
    return [_row(name) for name in registry.names("corpus")]


def _row(name: str) -> dict[str, str]:
    plugin = source.corpus(name)
    try:
        folder = str(source.folder_of(name))
    except source.MissingCorpus:
        folder = ""
    kind = "dialogues" if isinstance(plugin, DialogueCorpus) else "texts"
    return {"name": name, "kind": kind, "title": plugin.title, "licence": plugin.licence, "folder": folder}


def first_items(
    name: str, split: str | None = None, count: int = 3, label: str | None = None, strict: bool = False
) -> list[Dialogue | Labelled]:
    """Return the first dialogues (or texts) of a split, or of those the ones with a label."""
    split = split or next(iter(source.corpus(name).files(source.folder_of(name))))
    of_dialogues = isinstance(source.corpus(name), DialogueCorpus)
    read: Generator[Dialogue | Labelled]
    read = source.dialogues(name, split, strict) if of_dialogues else source.texts(name, split, strict)
    with closing(read):
        found = list(islice((item for item in read if label in (None, _label(item))), count))
    if not found:
        raise UserError(f"nothing in '{name}' ({split}) is labelled '{label}'; see: hearten data stats {name}")
    return found


def _label(item: Dialogue | Labelled) -> str | None:
    return item.emotion if isinstance(item, Dialogue) else item.label


def as_text(item: Dialogue | Labelled) -> str:
    """Lay out a dialogue or a labelled text for reading."""
    if isinstance(item, Labelled):
        return f"{item.id}  [{item.label}]\n  {item.text}"
    lines = [f"{item.id}  [{item.emotion}]" if item.emotion else item.id]
    lines += [f"  situation: {item.situation}"] if item.situation else []
    lines += [f"  persona: {sentence}" for sentence in item.persona]
    lines += [f"  {turn.role:>8}: {turn.text}" + (f"  [{turn.label}]" if turn.label else "") for turn in item.turns]
    return "\n".join(lines)
