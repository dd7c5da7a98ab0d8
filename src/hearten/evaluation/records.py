"""What a system said to each test example, and the file that keeps it.

The file never holds corpus text: gold replies and contexts are not stored at all, and a reply that quotes a corpus turn
is stored as the id of that turn. `resolve` looks such texts up again.
"""

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from hearten import registry
from hearten.data import source
from hearten.data.corpus import DialogueCorpus
from hearten.dialogue import turn_id
from hearten.errors import UserError


@dataclass(frozen=True, slots=True)
class Prediction:
    """All that one system said about one example; what it was not asked or cannot do stays None."""

    id: str
    reply: str | None = None
    source: str | None = None
    """Id of the corpus turn that the reply quotes word for word."""
    log_likelihood: float | None = None
    tokens: int | None = None
    emotion: str | None = None
    """Top label from the context so far."""
    whole_emotion: str | None = None
    """Top label from all turns of the dialogue; set on the last example of each dialogue."""
    intent: str | None = None
    hits: tuple[float | None, ...] | None = None
    """Credit for ranking the gold reply first: in corpus order, then in each shuffle; None where left over."""
    emotion_probability: float | None = None
    """How likely the system finds its top emotion."""
    label: str | None = None
    """Top label of the gold reply's own text, read as an utterance."""


def write(path: Path, predictions: Iterable[Prediction]) -> None:
    """Store predictions as gzipped JSON lines, byte for byte the same for the same predictions."""
    text = "".join(line(prediction) for prediction in predictions)
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


def line(prediction: Prediction) -> str:
    """Return a prediction as one JSON line, with quoted text left out."""
    kept = replace(prediction, reply=None) if prediction.source is not None else prediction
    present = {field.name: getattr(kept, field.name) for field in fields(kept)}
    return json.dumps({name: value for name, value in present.items() if value is not None}, ensure_ascii=False) + "\n"


def read(path: Path) -> list[Prediction]:
    """Read predictions back; quoted replies come without their text."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return [from_json(json.loads(text)) for text in file]
    except (OSError, EOFError, ValueError, TypeError) as error:
        raise UserError(f"{path} cannot be read ({error}); run hearten evaluate again") from None


def from_json(row: dict[str, Any]) -> Prediction:
    """Rebuild a prediction from a line's object."""
    hits = row.get("hits")
    return Prediction(**{**row, "hits": tuple(hits) if hits is not None else None})


def resolve(predictions: Sequence[Prediction], corpora: Sequence[str]) -> list[Prediction]:
    """Put the text of quoted corpus turns back in, reading the named corpora as far as they are needed."""
    wanted = {p.source for p in predictions if p.source is not None and p.reply is None}
    texts: dict[str, str] = {}
    for name in corpora:
        if len(texts) < len(wanted) and name in registry.names("corpus"):
            texts |= _turns(name, wanted)
    missing = wanted - texts.keys()
    if missing:
        raise UserError(
            f"{len(missing)} quoted replies, e.g. '{min(missing)}', are not in the corpora {', '.join(corpora)}; "
            "evaluate the system again where its candidates are at hand"
        )
    return [p if p.source is None or p.reply is not None else replace(p, reply=texts[p.source]) for p in predictions]


def _turns(name: str, wanted: set[str]) -> dict[str, str]:
    plugin = source.corpus(name)
    if not isinstance(plugin, DialogueCorpus):
        return {}
    return {
        identity: turn.text
        for split in plugin.files(source.folder_of(name))
        for dialogue in source.dialogues(name, split)
        for position, turn in enumerate(dialogue.turns)
        if (identity := turn_id(dialogue, position)) in wanted
    }
