"""Answering without torch: the exported encoder, its agreement with torch, and what it imports."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hearten.artifacts import folder
from hearten.cli.main import build
from hearten.data.source import load_examples
from hearten.errors import UserError
from hearten.listener.load import Choice, parts
from hearten.listener.manner import Manner
from hearten.retrieval.encoder import Encoder
from hearten.retrieval.responder import Responder
from hearten.systems.rashkin.model import Rashkin
from hearten.systems.rashkin.onnx import export
from hearten.training.loop import train
from hearten.training.settings import recipe

EXAMPLES = load_examples("sample", "test")[:60]
CONTEXTS = [example.context for example in EXAMPLES]


@pytest.fixture(
    scope="module", params=[(), ("system.prepend.labels=emotions", "system.prepend.k=1")], ids=["plain", "labels"]
)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Rashkin, Path]:
    place = tmp_path_factory.mktemp("exported")
    system = folder.load(train(recipe("rashkin", "tiny", list(request.param)), place / "model"))
    assert isinstance(system, Rashkin)
    return system, export(system, place / "light")


def test_eight_bits_choose_nearly_always_the_same_reply(exported: tuple[Rashkin, Path]) -> None:
    system, place = exported
    responder = Responder.open(place, threads=1)
    same = [responder.reply(c)[0].source == system.reply(c)[0].source for c in CONTEXTS]
    assert np.mean(same) >= 0.9
    candidates = [example.reply.text for example in EXAMPLES]
    np.testing.assert_allclose(
        responder.affinity(CONTEXTS, candidates), system.affinity(CONTEXTS, candidates), atol=0.05
    )


def test_a_text_means_the_same_in_any_company(exported: tuple[Rashkin, Path]) -> None:
    encoder = Encoder(exported[1] / "encoder", threads=1)
    alone = np.concatenate([encoder.contexts([context]) for context in CONTEXTS[:8]])
    np.testing.assert_allclose(encoder.contexts(CONTEXTS[:8]), alone, atol=1e-4)


def test_the_exported_folder_answers_without_torch(exported: tuple[Rashkin, Path]) -> None:
    code = (
        "import sys; from pathlib import Path; from hearten.dialogue import Turn\n"
        "from hearten.retrieval.responder import Responder\n"
        "told = (Turn('speaker', 'My dog died'),)\n"
        "print(bool(Responder.open(Path(sys.argv[1]), 1).reply(told)[0].text), 'torch' in sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, str(exported[1])], capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == ["True", "False"]


def test_the_command_exports_and_the_listener_ranks_with_it(exported: tuple[Rashkin, Path], tmp_path: Path) -> None:
    system, place = exported
    told = CliRunner().invoke(build(), ["models", "export", str(place.parent / "model"), str(tmp_path / "light")])
    assert told.exit_code == 0 and told.stdout.strip() == str(tmp_path / "light")
    chosen = Choice(ranker=str(tmp_path / "light" / "encoder"), generator="none", shelf="none", threads=1)
    ranker = parts(chosen, Manner(plans=0, reads=False)).ranker
    assert ranker is not None
    candidates = [example.reply.text for example in EXAMPLES[:5]]
    np.testing.assert_allclose(
        ranker.affinity(CONTEXTS[:5], candidates), system.affinity(CONTEXTS[:5], candidates), atol=0.05
    )


def test_only_retrieval_systems_are_exported(tmp_path: Path) -> None:
    train(recipe("bm25", "tiny"), tmp_path / "words")
    with pytest.raises(UserError, match="no retrieval system"):
        CliRunner().invoke(
            build(), ["models", "export", str(tmp_path / "words"), str(tmp_path / "out")], catch_exceptions=False
        )
    assert not (tmp_path / "out").exists()


def test_only_data_is_exported(exported: tuple[Rashkin, Path]) -> None:
    kinds = {path.suffix for path in exported[1].rglob("*") if path.is_file()}
    assert kinds <= {".json", ".jsonl", ".onnx", ".safetensors"}
    assert not list(exported[1].rglob("*.wide.onnx"))


def test_folders_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no exported retrieval system"):
        Responder.open(tmp_path)
    with pytest.raises(UserError, match="no exported encoder"):
        Encoder(tmp_path)
