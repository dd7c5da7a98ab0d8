"""What all engines have in common: how they are asked, what they answer, and how they are found by name.

An engine takes and gives ids. Text becomes ids elsewhere, so that special tokens in a person's words stay characters.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from hearten import registry
from hearten.decoding import Decoding
from hearten.engines.llama import Llama
from hearten.errors import UserError
from hearten.system import LogLikelihood

DEFAULT = "llamacpp"
"""The engine that serves unless another is asked for; docs/decisions/0008-engine.md says why."""
Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Generated:
    """One continuation: its ids without the end token, and its total log probability where the engine gives it.

    The end counts where it was reached. CTranslate2 takes tokens that the decoding forbids, such as an end before
    `min_tokens`, for impossible; the others go by the model alone.
    """

    ids: tuple[int, ...]
    nats: float | None = None


class Pair(NamedTuple):
    """A prompt and a reply to it, whose end token the engine adds."""

    prompt: Ids
    reply: Ids


class Engine(Protocol):
    """A loaded model that continues and scores sequences of ids; safe to call from several threads."""

    def generate(self, prompts: Sequence[Ids], decoding: Decoding, n: int = 1, seed: int = 0) -> list[list[Generated]]:
        """Return `n` continuations of each prompt, the likeliest first where beams are searched."""
        ...

    def stream(self, prompt: Ids, decoding: Decoding, seed: int = 0) -> Iterator[int]:
        """Give the ids of one continuation as they are made; closing the iterator stops the work."""
        ...

    def score(self, pairs: Sequence[Pair]) -> list[LogLikelihood]:
        """Return the log likelihood of each reply and its end token given its prompt."""
        ...

    def close(self) -> None:
        """Free memory and threads."""
        ...


class Open(Protocol):
    """Loads what a runtime wrote."""

    def __call__(self, folder: Path, end: int, threads: int, workers: int) -> Engine:
        """Open with `workers` times `threads` threads at most."""
        ...


@dataclass(frozen=True)
class Runtime:
    """A plug-in: how an engine's files are written and opened, and what it can do."""

    precisions: tuple[str, ...]
    """The first one is the default."""
    options: frozenset[str]
    """Names of the fields of `Decoding` that it heeds."""
    write: Callable[[Llama, Path, str], None]
    open: Open


def open_engine(name: str, folder: Path, end: int, threads: int = 1, workers: int = 1) -> Engine:
    """Open the files that the runtime of this name wrote into a folder."""
    if threads < 1 or workers < 1:
        raise UserError(f"an engine needs at least one thread and one worker, not {threads} and {workers}")
    runtime: Runtime = registry.load("engine", name)
    return runtime.open(folder, end, threads, workers)


def require_options(name: str, decoding: Decoding, n: int = 1) -> None:
    """Refuse a way of decoding that the named engine cannot do, and say which engines can."""
    asked = {field for field, info in Decoding.model_fields.items() if getattr(decoding, field) != info.default}
    if n > 1 and not decoding.sample:
        asked.add("beams")
    runtime: Runtime = registry.load("engine", name)
    lacking = sorted(asked - runtime.options)
    if lacking:
        others = [other for other in registry.names("engine") if asked <= registry.load("engine", other).options]
        raise UserError(
            f"the engine '{name}' cannot decode with {', '.join(lacking)}; "
            f"leave that out, or use an engine that can: {', '.join(others)}"
        )


def require_streamable(decoding: Decoding) -> None:
    """Refuse to stream beams."""
    if decoding.beams > 1:
        raise UserError("beams are known only at their end and cannot be streamed; set beams = 1, or sample = true")
