"""How contexts and replies become ids: opening token, turns with a separator between them, closing token."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from hearten.dialogue import Turn, joined
from hearten.errors import UserError
from hearten.retrieval.labels import Labeller

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a context and of a reply is read."""

    window: int | None
    """Turns of context; all when None."""
    max_context: int
    keep: Literal["last", "first"]
    """Which end of a longer context is kept."""
    max_reply: int
    labels: int
    """Predicted labels in front of each text; tokens of labels count for no limit."""


class Layout:
    """Turns texts into ids."""

    def __init__(self, tokenizer: "Tokenizer", limits: Limits, labeller: Labeller | None = None) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        special = tokenizer.encode("").ids
        if len(special) != 2:
            raise UserError("this tokenizer does not enclose texts in two special tokens; choose an encoder backbone")
        tokenizer.encode_special_tokens = True
        self._opening, self._closing = special
        self._tokenizer, self._limits, self._labeller = tokenizer, limits, labeller
        self._ids = lru_cache(maxsize=100_000)(self._ids)  # type: ignore[method-assign]

    def context(self, context: Sequence[Turn]) -> list[int]:
        """Lay out a context; its labels are those of its turns taken together."""
        seen = context[-self._limits.window :] if self._limits.window else context
        body: list[int] = []
        for turn in seen:
            body += [*([self._closing] if body else []), *self._ids(turn.text)]
        limit = self._limits.max_context
        kept = body[-limit:] if self._limits.keep == "last" else body[:limit]
        return self._enclosed(kept, joined(seen))

    def reply(self, text: str) -> list[int]:
        """Lay out a reply."""
        return self._enclosed(self._ids(text)[: self._limits.max_reply], text)

    def _enclosed(self, body: list[int], text: str) -> list[int]:
        labels = self._labeller.front(text, self._limits.labels) if self._labeller else []
        before = [token for label in labels for token in self._ids(label)]
        return [self._opening, *before, *body, self._closing]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text.strip(), add_special_tokens=False).ids)
