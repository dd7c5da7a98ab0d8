"""From a trained reader to a small ONNX folder: exported, quantised to int8, and calibrated as it will be used."""

import contextlib
import logging
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hearten.artifacts import folder as models
from hearten.artifacts.folder import Origin, whole_folder
from hearten.data import source
from hearten.data.tokens import words
from hearten.dialogue import Example
from hearten.errors import MissingExtra, UserError
from hearten.reader import calibration, folder
from hearten.reader.folder import Card, Head
from hearten.reader.session import Session
from hearten.system import normalised
from hearten.systems.reader.items import Lesson, lessons
from hearten.systems.reader.model import EmotionReader
from hearten.systems.reader.network import IGNORED, ReaderNetwork
from hearten.taxonomy import EMOTIONS, LABELS

try:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]
except ImportError as error:
    raise MissingExtra("exporting a reader") from error

NAMES = {"emotion": EMOTIONS, "label": LABELS, "plan": LABELS}
OPTIONAL = {"plan"}
"""Heads that a reader need not have learned."""
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


def export(place: Path, out: Path) -> Path:
    """Write the reader of a model folder as an ONNX folder, calibrated on the validation split of its last stage."""
    origin = models.read_origin(place)
    reader = models.load(place)
    if not isinstance(reader, EmotionReader):
        raise UserError(f"{place} holds a {origin.system}; only a reader can be exported")
    with whole_folder(out) as draft:
        write_onnx(reader, draft / folder.MODEL)
        reader.tokenizer.save(str(draft / folder.TOKENIZER))
        (draft / folder.WORDS).write_text("\n".join(_known_words(origin)) + "\n", encoding="utf-8")
        session = Session(draft / folder.MODEL, reader.layout)
        heads = calibrate(session, lessons(_examples(origin, "valid"), reader.settings))
        digests = {name: folder.digest(draft / name) for name in (folder.MODEL, folder.TOKENIZER, folder.WORDS)}
        folder.write(draft, Card(reader.settings.max_tokens, heads, _about(origin), digests))
    return out


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
            # one scale per column, and 7 bits: the 8-bit products of older CPUs overflow
            quantize_dynamic(path, path, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def _bare(model: Any) -> Any:
    """Drop what the exporter noted beside the graph: source lines with their paths, and shapes that are out of date."""
    del model.graph.value_info[:]
    for noted in (model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output):
        del noted.metadata_props[:]
        noted.doc_string = ""
    return model


def calibrate(session: Session, held_out: Sequence[Lesson]) -> dict[str, Head]:
    """Fit temperature and threshold of each head on lessons that were not learned from."""
    heads: dict[str, Head] = {}
    for name, labels in NAMES.items():
        chosen = [lesson for lesson in held_out if getattr(lesson, name) != IGNORED]
        if not chosen and name in OPTIONAL:
            continue
        if not chosen:
            raise UserError(f"the validation split has no text with a target for the '{name}' head to calibrate on")
        logits = session.logits([lesson.texts for lesson in chosen])[name]
        targets = np.array([getattr(lesson, name) for lesson in chosen])
        heat = calibration.temperature(logits, targets)
        confidences = normalised(logits / heat).max(axis=1)
        threshold = calibration.unsure_below(confidences, logits.argmax(axis=1) == targets)
        heads[name] = Head(labels, heat, threshold, calibration.describe(logits, targets, heat, threshold))
    return heads


def _examples(origin: Origin, split: str) -> list[Example]:
    stage = origin.stages[-1]
    return source.load_examples(stage["corpus"], split, stage["sides"], stage["window"])


def _known_words(origin: Origin) -> list[str]:
    texts = {turn.text for one in _examples(origin, "train") for turn in (*one.context, one.reply)}
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
