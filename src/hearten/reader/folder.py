"""The folder of an exported reader: what it holds, and the check that it is what was written.

    model.onnx  tokenizer.json  words.txt  counts.safetensors  reader.json

`reader.json` names the SHA-256 of the others; nothing is loaded before they are checked.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from hearten.errors import UserError

SCHEMA = 1
MODEL, TOKENIZER, WORDS, COUNTS = "model.onnx", "tokenizer.json", "words.txt", "counts.safetensors"
FILES = (MODEL, TOKENIZER, WORDS, COUNTS)
CARD = "reader.json"
HOW_TO_MAKE = "make one: hearten train reader --preset fast, then hearten read --export MODEL_FOLDER --out FOLDER"


@dataclass(frozen=True, slots=True)
class Head:
    """One question that a reader answers."""

    labels: tuple[str, ...]
    temperature: float
    unsure_below: float
    """Probability of the likeliest label below which a reading is called unsure."""
    validation: dict[str, float]
    """Scores on the texts that temperature and threshold were chosen on."""
    counts_weight: float = 0.0
    """How much what counted words say weighs, beside what the encoder says."""
    alone_weight: float = 0.0
    """How much a second reading of the speaker's turns alone weighs, beside that of the whole conversation."""
    shipped_weight: float = 0.0
    """How much what the shipped reader says weighs, beside what this larger one says."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a reader says of itself."""

    max_tokens: int
    heads: dict[str, Head]
    origin: dict[str, Any]
    """The model it was exported from: preset, corpora with checksums, version."""
    sha256: dict[str, str]


def shipped() -> Path:
    """Return the folder of the reader that comes with hearten."""
    place = Path(str(files("hearten.reader"))) / "shipped"
    if not (place / CARD).is_file():
        raise UserError(f"no reader is shipped with this hearten; {HOW_TO_MAKE}\nand name it with --model FOLDER")
    return place


def write(place: Path, card: Card) -> None:
    """Write the card of a folder whose other files are there already."""
    text = json.dumps({"schema": SCHEMA, **asdict(card)}, indent=1, ensure_ascii=False)
    (place / CARD).write_text(text + "\n", encoding="utf-8")


def read(place: Path) -> Card:
    """Read the card of a folder and check the other files against it."""
    card = _card(place)
    for name, expected in card.sha256.items():
        if not (place / name).is_file():
            raise UserError(f"{place} lacks {name}; {HOW_TO_MAKE}")
        if digest(place / name) != expected:
            raise UserError(f"{place / name} is not the file that {CARD} names; fetch or export the reader again")
    return card


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _card(place: Path) -> Card:
    path = place / CARD
    if not path.is_file():
        raise UserError(f"{place} is not the folder of a reader: it has no {CARD}; {HOW_TO_MAKE}")
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        schema = table.pop("schema", None)
        if schema != SCHEMA:
            raise UserError(f"{path} has schema {schema}; this hearten reads schema {SCHEMA}. Install a newer hearten.")
        heads = {name: Head(**{**head, "labels": tuple(head["labels"])}) for name, head in table.pop("heads").items()}
        card = Card(heads=heads, **table)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is damaged ({error}); fetch or export the reader again") from None
    missing = set(FILES) - card.sha256.keys()
    if missing:
        raise UserError(f"{path} gives no SHA-256 for {', '.join(sorted(missing))}; export the reader again")
    return card
