"""How a conversation becomes ids: the chat layout of SmolLM2 (ChatML), the speaker as user, the listener as assistant.

    <|im_start|>user
    I lost my dog yesterday.<|im_end|>
    <|im_start|>assistant
    (sympathizing)I am so sorry.<|im_end|>

There is no system turn. A listener's turn may begin with a plan: the emotion or intent that its words are to carry, in
brackets, read from the turn's label. Roles, plans and texts are tokenised apart, so that a turn has the same ids
wherever it stands; special tokens inside a person's text are read as plain characters. Needs tokenizers only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal, TypeVar

from tokenizers import Tokenizer

from hearten.dialogue import Example, Role, Turn
from hearten.errors import UserError

START, END = "<|im_start|>", "<|im_end|>"
T = TypeVar("T")
ROLES: dict[Role, str] = {"speaker": "user", "listener": "assistant"}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read of a context, and learned of a reply, in tokens; and whether labels are read as plans."""

    max_context: int
    max_reply: int
    keep: Literal["last", "first"] = "last"
    planned: bool = False


@dataclass(frozen=True, slots=True)
class Sequenced:
    """Ids, and for each whether it is to be predicted. The last id is never read, so it does not count as length."""

    ids: list[int]
    is_target: list[bool]
    is_spoken: list[bool]
    """For each whether it is one of the speaker's own words, or the end of them."""

    @property
    def reply_lengths(self) -> list[int]:
        """How many ids each reply has, its end included."""
        return [len(list(run)) for is_target, run in groupby(self.is_target) if is_target]

    def __len__(self) -> int:
        return len(self.ids) - 1


class Layout:
    """Turns contexts and replies into ids."""

    def __init__(self, tokenizer: Tokenizer, limits: Limits) -> None:
        start, end = tokenizer.token_to_id(START), tokenizer.token_to_id(END)
        if start is None or end is None:
            raise UserError(f"the tokenizer of this model lacks {START} and {END}; choose a chat backbone")
        tokenizer.encode_special_tokens = True
        self._tokenizer, self._limits = tokenizer, limits
        self.start: int = start
        self.end: int = end
        self._break = self._ids("\n")
        self._role_ids = {role: [start, *self._ids(f"{name}\n")] for role, name in ROLES.items()}
        self._ids = lru_cache(maxsize=100_000)(self._ids)  # type: ignore[method-assign]

    def prompt(self, context: Sequence[Turn], plan: str | None = None) -> list[int]:
        """Return the context, cut to its limit, and the opening of the listener's turn."""
        return self._kept(self._context(context)) + self._opening("listener", plan)

    def example(self, example: Example, is_cut: bool = True) -> Sequenced:
        """Lay out a context and its reply, which is cut to its limit unless told otherwise."""
        prompt = self.prompt(example.context, self._plan(example.reply))
        reply = self._words(example.reply)
        if is_cut:
            reply = reply[: self._limits.max_reply]
        ids = prompt + reply
        spoken = self._kept([is_spoken for turn in example.context for is_spoken in self._spoken(turn)])
        return Sequenced(ids, [False] * len(prompt) + [True] * len(reply), spoken + [False] * (len(ids) - len(spoken)))

    def chain(self, examples: Sequence[Example], is_cut: bool = True) -> Sequenced:
        """Lay out examples each of which continues the one before; all their replies are targets."""
        whole = self.example(examples[-1], is_cut)
        is_target = list(whole.is_target)
        for example in examples[:-1]:
            begin = len(self.prompt(example.context, self._plan(example.reply)))
            end = begin + len(self._words(example.reply))
            is_target[begin:end] = [True] * (end - begin)
        return replace(whole, is_target=is_target)

    def chains(self, examples: Sequence[Example]) -> list[list[Example]]:
        """Put examples together, in their order, that continue one another and may be laid out as one sequence.

        The replies of a dialogue share their prefix, and a causal model sees the same thing left of each reply either
        way; so the loss is the same, and the prefix is computed once. Only where a context is cut this would not hold.
        """
        chains: list[list[Example]] = []
        for example in examples:
            is_next = bool(chains) and _continues(example, chains[-1][-1])
            if is_next and self._fits(chains[-1][-1]) and self._fits(example):
                chains[-1].append(example)
            else:
                chains.append([example])
        return chains

    def reply_ids(self, text: str) -> list[int]:
        """Return the ids of a reply without its end."""
        return self._ids(text.strip())

    def text(self, ids: Sequence[int]) -> str:
        """Turn generated ids back into text."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True)).strip()

    def _fits(self, example: Example) -> bool:
        """Say whether nothing of an example is cut off, and its reply stands where the listener's turns stand."""
        return (
            example.reply.role == "listener"
            and len(self._context(example.context)) <= self._limits.max_context
            and len(self._words(example.reply)) <= self._limits.max_reply
        )

    def _kept(self, context: list[T]) -> list[T]:
        limit = self._limits.max_context
        return context[-limit:] if self._limits.keep == "last" else context[:limit]

    def _context(self, context: Sequence[Turn]) -> list[int]:
        return [token for turn in context for token in [*self._turn(turn), *self._break]]

    def _turn(self, turn: Turn) -> list[int]:
        return self._opening(turn.role, self._plan(turn)) + self._words(turn)

    def _spoken(self, turn: Turn) -> list[bool]:
        """Say of each id that a turn of the context has there whether it is the speaker's word."""
        opening = len(self._opening(turn.role, self._plan(turn)))
        return [False] * opening + [turn.role == "speaker"] * len(self._words(turn)) + [False] * len(self._break)

    def _opening(self, role: Role, plan: str | None) -> list[int]:
        return self._role_ids[role] + (self._ids(f"({plan})") if plan else [])

    def _plan(self, turn: Turn) -> str | None:
        return turn.label if self._limits.planned and turn.role == "listener" else None

    def _words(self, turn: Turn) -> list[int]:
        return [*self._ids(turn.text.strip()), self.end]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _continues(later: Example, earlier: Example) -> bool:
    """Say whether an example's context begins with the whole of another example."""
    begun = (*earlier.context, earlier.reply)
    return later.context[: len(begun)] == begun
