"""How a conversation becomes ids: the chat layout of SmolLM2 (ChatML), the speaker as user, the listener as assistant.

    <|im_start|>user
    I lost my dog yesterday.<|im_end|>
    <|im_start|>assistant
    I am so sorry.<|im_end|>

There is no system turn. Roles and texts are tokenised apart, so that a turn has the same ids wherever it stands;
special tokens inside a person's text are read as plain characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tokenizers import Tokenizer

from hearten.dialogue import Example, Role, Turn
from hearten.errors import UserError
from hearten.systems.plainlm.settings import PlainSettings

START, END = "<|im_start|>", "<|im_end|>"
ROLES: dict[Role, str] = {"speaker": "user", "listener": "assistant"}


@dataclass(frozen=True, slots=True)
class Sequenced:
    """Ids, and for each whether it is to be predicted. The last id is never read, so it does not count as length."""

    ids: list[int]
    is_target: list[bool]

    def __len__(self) -> int:
        return len(self.ids) - 1


class Layout:
    """Turns contexts and replies into ids, within the limits of the settings."""

    def __init__(self, tokenizer: Tokenizer, settings: PlainSettings) -> None:
        start, end = tokenizer.token_to_id(START), tokenizer.token_to_id(END)
        if start is None or end is None:
            raise UserError(f"the tokenizer of {settings.backbone} lacks {START} and {END}; choose a chat backbone")
        tokenizer.encode_special_tokens = True
        self._tokenizer, self._settings = tokenizer, settings
        self.end: int = end
        self._break = self._ids("\n")
        self._role_ids = {role: [start, *self._ids(f"{name}\n")] for role, name in ROLES.items()}
        self._ids = lru_cache(maxsize=100_000)(self._ids)  # type: ignore[method-assign]

    def prompt(self, context: Sequence[Turn]) -> list[int]:
        """Return the context, cut to its limit, and the opening of the listener's turn."""
        ids = self._context(context)
        limit = self._settings.max_context
        kept = ids[-limit:] if self._settings.keep == "last" else ids[:limit]
        return kept + self._role_ids["listener"]

    def example(self, example: Example, is_cut: bool = True) -> Sequenced:
        """Lay out a context and its reply, which is cut to its limit unless told otherwise."""
        prompt = self.prompt(example.context)
        reply = self._reply(example.reply)
        if is_cut:
            reply = reply[: self._settings.max_reply]
        return Sequenced(prompt + reply, [False] * len(prompt) + [True] * len(reply))

    def chain(self, examples: Sequence[Example]) -> Sequenced:
        """Lay out examples each of which continues the one before; all their replies are targets."""
        whole = self.example(examples[-1])
        is_target = list(whole.is_target)
        for example in examples[:-1]:
            begin = len(self.prompt(example.context))
            end = begin + len(self._reply(example.reply))
            is_target[begin:end] = [True] * (end - begin)
        return Sequenced(whole.ids, is_target)

    def fits(self, example: Example) -> bool:
        """Say whether nothing of an example is cut off, and its reply stands where the listener's turns stand."""
        is_whole = len(self._context(example.context)) <= self._settings.max_context
        return (
            is_whole
            and example.reply.role == "listener"
            and len(self._reply(example.reply)) <= self._settings.max_reply
        )

    def text(self, ids: Sequence[int]) -> str:
        """Turn generated ids back into text."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True)).strip()

    def _context(self, context: Sequence[Turn]) -> list[int]:
        return [token for turn in context for token in [*self._turn(turn), *self._break]]

    def _turn(self, turn: Turn) -> list[int]:
        return self._role_ids[turn.role] + self._reply(turn)

    def _reply(self, turn: Turn) -> list[int]:
        return [*self._ids(turn.text.strip()), self.end]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def continues(later: Example, earlier: Example) -> bool:
    """Say whether an example's context begins with the whole of another example."""
    begun = (*earlier.context, earlier.reply)
    return later.context[: len(begun)] == begun
