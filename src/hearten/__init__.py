"""hearten: open-source empathetic conversation.

    import hearten
    system = hearten.load("runs/plainlm-tiny-1a2b3c4d")     # a model folder
    folder = hearten.train("plainlm", "tiny")               # make one
    scores = hearten.evaluate(system, "sample", "test").scores
    print(hearten.chat().say("My dog ran away.").text)

These four are all that most people need; everything behind them is importable from its own module.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearten.conversation import Conversation
    from hearten.evaluation.run import Evaluation
    from hearten.system import System

__all__ = ["chat", "evaluate", "load", "train"]


def load(place: "Path | str", preset: str | None = None, overrides: list[str] | None = None) -> "System":
    """Load a model folder, or build a system that needs no training from its name, preset and changes to it."""
    from hearten.training.build import ready

    return ready(place, preset, overrides)[0]


def train(system: str, preset: str = "tiny", overrides: list[str] | None = None, out: Path | None = None) -> Path:
    """Train a system by a preset (or go on where a run was interrupted) and return its model folder."""
    from hearten.training.loop import train as run
    from hearten.training.settings import recipe

    return run(recipe(system, preset, overrides), out)


def evaluate(system: "System", corpus: str = "empathetic_dialogues", split: str = "test") -> "Evaluation":
    """Score a system on a split of a corpus with every metric that it has the capabilities for."""
    from hearten.evaluation.run import evaluate as run
    from hearten.evaluation.target import read_gold

    gold = read_gold(corpus, split)
    return run(system, gold.examples, dialogues=gold.dialogues)


def chat(place: "Path | str" = "listener", preset: str | None = None) -> "Conversation":
    """Begin a conversation with a model folder, or with a system by name."""
    from hearten.conversation import Conversation

    return Conversation(load(place, preset))
