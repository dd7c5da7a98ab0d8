"""Every registered system, held to the contract by its tiny preset. No edit for a new one."""

from pathlib import Path

import numpy as np
import pytest

import hearten
from hearten import config, registry
from hearten.data.source import load_examples
from hearten.dialogue import Example
from hearten.system import (
    PlansIntent,
    Ranks,
    ReadsEmotion,
    Replies,
    RepliesToMany,
    Scores,
    System,
    capabilities,
)
from hearten.taxonomy import EMOTIONS, LABELS
from hearten.training.settings import recipe

SYSTEMS = registry.names("system")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {}


@pytest.fixture
def folder(request: pytest.FixtureRequest, trained: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The system's tiny preset, trained once for all tests of this file."""
    name = request.param
    if name not in trained:
        trained[name] = hearten.train(name, "tiny", out=tmp_path_factory.mktemp("runs") / name)
    return trained[name]


@pytest.fixture
def tests() -> list[Example]:
    return load_examples("sample", "test")[:6]


each_folder = pytest.mark.parametrize("folder", SYSTEMS, indirect=True)


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_has_a_tiny_preset_and_a_readme_that_names_it(name: str) -> None:
    assert "tiny" in config.presets(name)
    module = registry.providers("system")[name].removeprefix("hearten.").replace(".", "/")
    readme = Path(hearten.__file__).parent / module / "README.md"
    assert readme.read_text(encoding="utf-8").startswith(f"# {name}: ")


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_can_do_something_useful(name: str) -> None:
    assert capabilities(registry.load("system", name))


@each_folder
def test_loading_gives_back_what_was_saved(folder: Path, tests: list[Example], tmp_path: Path) -> None:
    from hearten.artifacts import folder as artifacts

    first = hearten.load(folder)
    again = artifacts.load(artifacts.save(first, artifacts.read_origin(folder), tmp_path / "copy"))
    assert behaviour(first, tests) == behaviour(again, tests)


@each_folder
def test_the_same_seed_gives_the_same_system(folder: Path, tests: list[Example], tmp_path: Path) -> None:
    name = folder.name
    again = hearten.train(name, "tiny", out=tmp_path / name)
    assert behaviour(hearten.load(folder), tests) == behaviour(hearten.load(again), tests)


@each_folder
def test_its_card_says_what_it_is_and_how_it_was_made(folder: Path) -> None:
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# {folder.name} (tiny)")
    assert "not therapy" in card
    assert "sample/train" in card


@each_folder
def test_no_file_of_it_is_pickled(folder: Path) -> None:
    kinds = {path.suffix for path in folder.rglob("*") if path.is_file() and "tensorboard" not in path.parts}
    assert kinds <= {".json", ".jsonl", ".md", ".safetensors"}


@each_folder
def test_its_answers_have_the_promised_shapes(folder: Path, tests: list[Example]) -> None:
    system = hearten.load(folder)
    contexts = [example.context for example in tests]
    if isinstance(system, Replies):
        assert 1 <= len(system.reply(contexts[0], n=3)) <= 3
        assert system.reply(contexts[0])[0].text.strip()
    if isinstance(system, RepliesToMany):
        assert len(system.reply_many(contexts)) == len(contexts)
    if isinstance(system, Ranks):
        assert system.affinity(contexts, ["yes", "I am sorry to hear it"]).shape == (len(contexts), 2)
    if isinstance(system, ReadsEmotion):
        check_probabilities(system.emotions(contexts), (len(contexts), len(EMOTIONS)))
    if isinstance(system, PlansIntent):
        check_probabilities(system.intents(contexts), (len(contexts), len(LABELS)))
    if isinstance(system, Scores):
        scored = system.log_likelihood(tests)
        assert len(scored) == len(tests)
        assert all(one.nats < 0 and one.tokens > 0 for one in scored)


def check_probabilities(found: np.ndarray, shape: tuple[int, int]) -> None:
    assert found.shape == shape
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)


def behaviour(system: System, tests: list[Example]) -> list[object]:
    """Everything that a system says about some examples, in a form that can be compared."""
    contexts = [example.context for example in tests]
    seen: list[object] = []
    if isinstance(system, Replies):
        seen += [(reply.text, reply.source) for context in contexts for reply in system.reply(context)]
    if isinstance(system, Ranks):
        seen += system.affinity(contexts, ["yes", "I am sorry to hear it"]).tolist()
    if isinstance(system, ReadsEmotion):
        seen += system.emotions(contexts).tolist()
    if isinstance(system, Scores):
        seen += system.log_likelihood(tests)
    return seen


@pytest.mark.parametrize(("system", "preset"), [(name, preset) for name in SYSTEMS for preset in config.presets(name)])
def test_every_preset_is_valid(system: str, preset: str) -> None:
    assert recipe(system, preset).preset == preset
