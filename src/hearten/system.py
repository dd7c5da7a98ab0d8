"""The contract that every system meets, and the capabilities it may add.

Training, evaluation and serving know a system only through this file. A system says what it can do by having the
methods of a capability; `capabilities` lists them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hearten.config import Json, Settings
from hearten.decoding import Decoding
from hearten.dialogue import Example, Reply, Turn
from hearten.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor, nn

Array = NDArray[Any]
Context = Sequence[Turn]


class System(ABC):
    """Something that is built from examples, stored in a folder, and understands or answers people."""

    Config: ClassVar[type[Settings]]

    @classmethod
    @abstractmethod
    def prepare(cls, config: Any, examples: Sequence[Example], seed: int) -> Self:
        """Build the system: vocabulary or index first, then the model. A system that does not train is now ready."""

    @abstractmethod
    def assets(self) -> dict[str, Json]:
        """Return what must be stored besides weights, by file name: `{"labels.json": [...]}`."""

    @abstractmethod
    def tensors(self) -> dict[str, Array]:
        """Return the weights."""

    @classmethod
    @abstractmethod
    def restore(cls, config: Any, assets: Mapping[str, Json], tensors: Mapping[str, Array]) -> Self:
        """Rebuild the system from what `assets` and `tensors` gave."""


class LogLikelihood(NamedTuple):
    """What a model thinks of one gold reply: total natural log probability, and how many tokens (end included)."""

    nats: float
    tokens: int


@runtime_checkable
class Replies(Protocol):
    """Answers a context."""

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        """Return up to `n` replies, best first."""
        ...


@runtime_checkable
class RepliesToMany(Protocol):
    """Answers many contexts at once, faster than one by one."""

    def reply_many(self, contexts: Sequence[Context]) -> list[Reply]:
        """Return the best reply to each context."""
        ...


@runtime_checkable
class Ranks(Protocol):
    """Says how well candidate replies fit."""

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        """Score every candidate for every context; higher is better. Shape (contexts, candidates)."""
        ...


@runtime_checkable
class Embeds(Ranks, Protocol):
    """Makes vectors of contexts and of replies; their dot products say how well they fit."""

    def contexts(self, contexts: Sequence[Context]) -> Array:
        """Return the vectors of contexts. (contexts, hidden)"""
        ...

    def candidates(self, texts: Sequence[str]) -> Array:
        """Return the vectors of replies. (texts, hidden)"""
        ...


class Judgement(NamedTuple):
    """What a language model makes of replies to one context."""

    nats: Array
    """Log probability of each whole reply and its end token. (replies,)"""
    selection: Array
    """How surely each is the reply rather than one from elsewhere, in log odds. (replies,)"""


@runtime_checkable
class Judges(Protocol):
    """Weighs replies that somebody else wrote, with one reading of the context for all of them."""

    def judge(self, context: Context, replies: Sequence[str]) -> Judgement:
        """Say how likely each reply is, and how surely it belongs here."""
        ...


@runtime_checkable
class Scores(Protocol):
    """Gives the likelihood of gold replies."""

    def log_likelihood(self, examples: Sequence[Example]) -> list[LogLikelihood]:
        """Return the log likelihood of each example's reply given its context."""
        ...


@runtime_checkable
class ReadsEmotion(Protocol):
    """Reads how the speaker feels from the conversation so far."""

    def emotions(self, contexts: Sequence[Context]) -> Array:
        """Return probabilities of shape (contexts, 32), in the order of `taxonomy.EMOTIONS`."""
        ...


@runtime_checkable
class LabelsUtterances(Protocol):
    """Says what an utterance expresses or does, whatever came before it."""

    def labels(self, texts: Sequence[str]) -> Array:
        """Return probabilities of shape (texts, 41), in the order of `taxonomy.LABELS`."""
        ...


@runtime_checkable
class PlansIntent(Protocol):
    """Predicts how a listener would respond."""

    def intents(self, contexts: Sequence[Context]) -> Array:
        """Return probabilities of shape (contexts, 41), in the order of `taxonomy.LABELS`."""
        ...


@runtime_checkable
class TakesIntent(Protocol):
    """Answers in the way it is asked to."""

    def reply_with(self, context: Context, intent: str, n: int = 1) -> list[Reply]:
        """Return up to `n` replies that carry the named emotion or intent."""
        ...


@runtime_checkable
class Decodes(Protocol):
    """Makes its replies token by token, in a way that may be changed."""

    decoding: Decoding
    seed: int


class Batch(NamedTuple):
    """Model input for one forward pass, and how many targets each part of the loss averages over."""

    tensors: "dict[str, Tensor]"
    counts: dict[str, int]


class Encoded(Protocol):
    """An example as the model sees it; its length is what batches are budgeted by."""

    def __len__(self) -> int: ...


@runtime_checkable
class Trainable(Protocol):
    """All that the training loop knows.

    `network(batch.tensors)` returns the *sum* of each named part of the loss over the batch. The loop divides each sum
    by the count of the whole step, over all micro-batches and processes, and adds the parts with `loss_weights`, so
    that a step means the same however it is cut up.
    """

    network: "nn.Module"
    loss_weights: Mapping[str, float]

    def encode(self, example: Example) -> Encoded:
        """Turn text into ids: together with `collate` the one place where text becomes model input."""
        ...

    def collate(self, encoded: Sequence[Any]) -> Batch:
        """Pad encoded examples into a batch."""
        ...


@runtime_checkable
class Packs(Protocol):
    """A trainable system that can encode several examples as one."""

    def pack(self, examples: Sequence[Example]) -> Sequence[Encoded]:
        """Encode all examples, those with a common context together; the loss of the whole must stay the same."""
        ...


CAPABILITIES: dict[str, type] = {
    "replies": Replies,
    "replies to many": RepliesToMany,
    "ranks": Ranks,
    "scores likelihood": Scores,
    "reads emotion": ReadsEmotion,
    "labels utterances": LabelsUtterances,
    "plans intent": PlansIntent,
    "takes an intent": TakesIntent,
}


def capabilities(system: object) -> list[str]:
    """Name what a system (or a system class) can do."""
    return [name for name, protocol in CAPABILITIES.items() if _has(system, protocol)]


def _has(system: object, protocol: type) -> bool:
    methods = [name for name in vars(protocol) if not name.startswith("_")]
    return all(callable(getattr(system, name, None)) for name in methods)


def decode_with(system: object, decoding: Decoding | None = None, seed: int | None = None) -> None:
    """Change how a system makes its replies."""
    if decoding is None and seed is None:
        return
    if not isinstance(system, Decodes):
        raise UserError("this system does not make its replies token by token; leave --decoding and --seed out")
    system.decoding = system.decoding if decoding is None else decoding
    system.seed = system.seed if seed is None else seed


def normalised(scores: Array) -> Array:
    """Return the softmax of each row."""
    exponents = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True))
