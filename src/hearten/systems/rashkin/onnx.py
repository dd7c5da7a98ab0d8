"""Exporting a trained system, to answer without torch: encoders as 8-bit ONNX, and the index over its candidates.

    <place>/encoder/  <place>/index/

`hearten.retrieval.responder.Responder` reads the folder. The candidates' vectors are those of the full precision, which
choose the same reply more often than vectors made by the 8-bit encoder do.
"""

import json
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from hearten.artifacts.folder import write_json
from hearten.nn.eight_bits import quantise
from hearten.places import whole_folder
from hearten.retrieval.encoder import CANDIDATES, CONTEXTS, LABELS, SETTINGS, TOKENIZER
from hearten.systems.rashkin.encoders import ABSENT, Tower
from hearten.systems.rashkin.model import Rashkin, limits


class _Traced(nn.Module):
    """A tower with the inputs that the exported graph has."""

    def __init__(self, tower: Tower) -> None:
        super().__init__()
        self._tower = tower

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        vectors: Tensor = self._tower(ids.masked_fill(mask == 0, ABSENT))
        return vectors


def export(system: Rashkin, place: Path) -> Path:
    """Write encoder and index into a folder."""
    with whole_folder(place) as draft:
        _write_encoder(system, draft / "encoder")
        system.collection.save(draft / "index")
        write_json(draft / "responder.json", {"exact_up_to": system.settings.exact_up_to})
    return place


def _write_encoder(system: Rashkin, folder: Path) -> None:
    folder.mkdir()
    _write_onnx(system.network.contexts, folder / CONTEXTS)
    if system.network.candidates is not system.network.contexts:
        _write_onnx(system.network.candidates, folder / CANDIDATES)
    (folder / TOKENIZER).write_text(system.tokenizer.to_str(), encoding="utf-8")
    told = {"limits": asdict(limits(system.settings)), "padding": system.network.contexts.padding}
    if system.labeller:
        told["labels"] = system.labeller.assets()
        save_file({name: np.ascontiguousarray(a) for name, a in system.labeller.tensors().items()}, folder / LABELS)
    (folder / SETTINGS).write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")


def _write_onnx(tower: Tower, path: Path) -> None:
    """Export a tower with 8-bit weights."""
    ids = torch.tensor([[1, 2, 3], [1, 2, 1]])
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    varying = {0: "texts", 1: "tokens"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of its own deprecation
        torch.onnx.export(
            _Traced(tower).eval(),
            (ids, mask),
            str(path),
            input_names=["ids", "mask"],
            output_names=["vectors"],
            dynamic_axes={"ids": varying, "mask": varying, "vectors": {0: "texts"}},
            dynamo=False,
        )
    quantise(path, "block")
