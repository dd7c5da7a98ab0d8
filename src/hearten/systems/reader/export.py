"""From a trained reader to a small ONNX folder: exported, quantised to int8, and completed as it will be used."""

import contextlib
import logging
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from hearten import config
from hearten.artifacts import folder as models
from hearten.artifacts.folder import Origin, whole_folder
from hearten.data import source
from hearten.data.tokens import words
from hearten.dialogue import Example
from hearten.errors import MissingExtra, UserError
from hearten.nn.eight_bits import quantise
from hearten.reader import folder
from hearten.reader.layout import Layout
from hearten.reader.model import Reader
from hearten.reader.session import read_tokenizer
from hearten.systems.reader.finishing import NAMES, finish
from hearten.systems.reader.items import Lesson, lessons
from hearten.systems.reader.model import EmotionReader
from hearten.systems.reader.network import ReaderNetwork
from hearten.systems.reader.settings import ReaderSettings

try:
    import onnx
except ImportError as error:
    raise MissingExtra("exporting a reader") from error

SPLITS = ("train", "valid")
SEEN = 3
"""How often a word must stand in the training texts to be known."""


class Exported(nn.Module):
    """The network as the runtime calls it: ids and mask in, the logits of every head out."""

    def __init__(self, network: ReaderNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Return the logits of emotions, labels and plans."""
        return tuple(self.network.logits(ids, mask))


def export(place: Path, out: Path, asks_shipped: bool = False) -> Path:
    """Write the reader of a model folder as an ONNX folder, calibrated on the validation split of its last stage.

    From a folder that is exported already, words are counted and probabilities calibrated anew. If it `asks_shipped`,
    the reader that ships is asked as well from then on, and counts as far as that helped on validation.
    """
    second = Reader.load() if asks_shipped else None
    return (_again if (place / folder.CARD).is_file() else _export)(place, out, second)


def _export(place: Path, out: Path, second: Reader | None) -> Path:
    origin = models.read_origin(place)
    reader = models.load(place)
    if not isinstance(reader, EmotionReader):
        raise UserError(f"{place} holds a {origin.system}; only a reader can be exported")
    stage, settings = origin.stages[-1], reader.settings
    examples = [source.load_examples(stage["corpus"], split, stage["sides"], stage["window"]) for split in SPLITS]
    with whole_folder(out) as draft:
        write_onnx(reader, draft / folder.MODEL)
        reader.tokenizer.save(str(draft / folder.TOKENIZER))
        (draft / folder.WORDS).write_text("\n".join(_known_words(examples[0])) + "\n", encoding="utf-8")
        learned, held_out = _learned(examples[0], settings), lessons(examples[1], settings)
        finish(draft, reader.layout, settings.max_tokens, learned, held_out, _about(origin), second=second)
    return out


def _again(place: Path, out: Path, second: Reader | None) -> Path:
    """Complete an exported reader anew: what cannot be fitted without another reader, its plans, stays as it is."""
    card = folder.read(place)
    preset = str(card.origin["preset"])
    settings = config.validate(ReaderSettings, config.read_preset("reader", preset)["system"], f"preset '{preset}'")
    corpora = "+".join(dict.fromkeys(name.partition("/")[0] for name in card.origin["data"]))
    learned, held_out = (_learned(source.load_examples(corpora, split), settings) for split in SPLITS)
    layout = Layout(read_tokenizer(place / folder.TOKENIZER), card.max_tokens)
    with whole_folder(out) as draft:
        for name in (folder.MODEL, folder.TOKENIZER, folder.WORDS):
            shutil.copyfile(place / name, draft / name)
        finish(draft, layout, card.max_tokens, learned, held_out, card.origin, card.heads, second)
    return out


def _learned(examples: Sequence[Example], settings: ReaderSettings) -> list[Lesson]:
    """Return what words are counted in; nobody is asked for labels that the corpus does not give."""
    return lessons(examples, settings.model_copy(update={"plans": None, "views": False}))


def write_onnx(reader: EmotionReader, path: Path, quantised: bool = True) -> None:
    """Write the network as ONNX, with weights and embeddings in int8 if `quantised`."""
    ids = torch.full((2, 7), reader.layout.start)
    batch, tokens = torch.export.Dim("batch"), torch.export.Dim("tokens", max=reader.settings.max_tokens)
    shapes = {name: {0: batch, 1: tokens} for name in ("ids", "mask")}
    with _quietly():
        program = torch.onnx.export(
            Exported(reader.network).eval(),
            (ids, torch.ones_like(ids)),
            dynamo=True,
            dynamic_shapes=shapes,
            input_names=list(shapes),
            output_names=list(NAMES),
            verbose=False,
        )
        assert program is not None
        onnx.save(_bare(program.model_proto), path)
    if quantised:
        quantise(path, reader.settings.scales)


def _bare(model: Any) -> Any:
    """Drop what the exporter noted beside the graph: source lines with their paths, and shapes that are out of date."""
    del model.graph.value_info[:]
    for noted in (model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output):
        del noted.metadata_props[:]
        noted.doc_string = ""
    return model


def _known_words(examples: Sequence[Example]) -> list[str]:
    texts = {turn.text for one in examples for turn in (*one.context, one.reply)}
    counted = Counter(word for text in texts for word in words(text))
    return sorted(word for word, count in counted.items() if count >= SEEN)


def _about(origin: Origin) -> dict[str, object]:
    return {"preset": origin.preset, "seed": origin.seed, "data": origin.data, "version": origin.version}


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep the exporter from reporting on operators and axes that are of no concern here."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
