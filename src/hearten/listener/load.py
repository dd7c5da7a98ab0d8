"""From names to the parts of an agent: the shipped ones, or those of folders that somebody trained."""

import os
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from hearten.chatml import Layout, Limits
from hearten.config import Settings
from hearten.engines.assemble import Trained, serve
from hearten.engines.engine import DEFAULT
from hearten.errors import UserError
from hearten.listener import shipped
from hearten.listener.generator import Generator
from hearten.listener.manner import Manner
from hearten.listener.parts import Parts
from hearten.listener.shipped import SHIPPED
from hearten.reader.model import Reader
from hearten.retrieval.collection import Collection
from hearten.retrieval.encoder import Encoder
from hearten.retrieval.joined import Joined
from hearten.retrieval.responder import Responder
from hearten.system import Embeds, Replies

NONE = "none"
SHELF = 100_000
"""Replies up to which a shelf is searched exactly."""


class Choice(Settings):
    """Each part is `shipped`, `none`, or a folder."""

    reader: str = SHIPPED
    """A folder made by `hearten read --export`."""
    generator: str = SHIPPED
    """A model folder made by `hearten train plannedlm` (or `plainlm`)."""
    ranker: str = SHIPPED
    """The folder `encoder` in what `hearten models export` wrote of a retrieval system."""
    second_ranker: str = NONE
    """Another such folder, or `shipped`: how well a reply fits is then what both say."""
    second_weight: float = Field(default=0.5, ge=0)
    """How much the second counts, where the first counts 1."""
    shelf: str = SHIPPED
    """A folder made by `hearten models shelf`: replies to look up where too many people wait to write any."""
    engine: str = DEFAULT
    precision: str | None = None
    """Of the engine's numbers; its own default when absent."""
    threads: int = Field(default=0, ge=0)
    """0: as many as OMP_NUM_THREADS says, or else half of the processors. Threads of an engine wait by spinning: when
    something else runs on their processors, too many are much slower than too few."""
    workers: int = Field(default=1, ge=1)
    max_context: int = Field(default=256, ge=16)
    """Tokens of the conversation that the generator reads."""

    @model_validator(mode="after")
    def _has_first_ranker(self) -> Self:
        if self.ranker == NONE != self.second_ranker:
            raise ValueError("there is a second ranker but no first; name it as the ranker")
        return self


def parts(choice: Choice, manner: Manner, retriever: Replies | None = None) -> Parts:
    """Load the parts that a manner of answering needs."""
    needs_reader = manner.reads or manner.plans > 0
    ranker = _ranker(choice, choice.ranker) if manner.ranks and choice.ranker != NONE else None
    return Parts(
        reader=_reader(choice) if needs_reader else None,
        generator=_generator(choice) if choice.generator != NONE else None,
        ranker=_with_second(choice, ranker) if ranker else None,
        retriever=retriever or (_shelf(choice, ranker) if ranker else None),
    )


def _threads(choice: Choice) -> int:
    told = os.environ.get("OMP_NUM_THREADS", "")
    return choice.threads or (int(told) if told.isdigit() else 0) or max(1, (os.cpu_count() or 1) // 2)


def _reader(choice: Choice) -> Reader:
    return Reader.load(None if choice.reader == SHIPPED else Path(choice.reader), threads=_threads(choice))


def _generator(choice: Choice) -> Generator:
    source = shipped.shipped().source if choice.generator == SHIPPED else Trained(_folder(choice.generator))
    served = serve(source, choice.engine, choice.precision, _threads(choice), choice.workers)
    limits = Limits(choice.max_context, choice.max_context, planned=True)
    return Generator(served.engine, Layout(served.tokenizer, limits))


def _shelf(choice: Choice, ranker: Encoder) -> Replies | None:
    if choice.shelf == NONE or (choice.shelf == SHIPPED and choice.ranker != SHIPPED):
        return None  # vectors of one encoder mean nothing to another
    place = shipped.shipped().shelf if choice.shelf == SHIPPED else _folder(choice.shelf)
    return Responder(ranker, Collection.open(place, exact_up_to=SHELF)) if place else None


def _ranker(choice: Choice, name: str) -> Encoder:
    return Encoder(shipped.ranker(name), _threads(choice))


def _with_second(choice: Choice, first: Encoder) -> Embeds:
    if choice.second_ranker == NONE:
        return first
    return Joined((first, _ranker(choice, choice.second_ranker)), (1.0, choice.second_weight))


def _folder(name: str) -> Path:
    if not Path(name).is_dir():
        raise UserError(f"there is no folder {name}; name a folder, '{SHIPPED}' or '{NONE}'")
    return Path(name)
