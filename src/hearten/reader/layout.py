"""How texts become the ids that a reader sees: `[CLS] turn [SEP] turn [SEP]`, of which the last ones are kept.

The one place where text becomes input, shared by training, export and the runtime. Needs tokenizers only.
"""

from collections.abc import Sequence
from functools import lru_cache

from tokenizers import Tokenizer

from hearten.errors import UserError

# MPNet's vocabulary keeps BERT's names among its ordinary tokens, so its own names come first.
STARTS, ENDS, PADS = ("<s>", "[CLS]"), ("</s>", "[SEP]"), ("<pad>", "[PAD]")


class Layout:
    """Turns the texts of a conversation into ids; special tokens inside a text are read as plain characters."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True
        self._tokenizer, self._max_tokens = tokenizer, max_tokens
        self.start, self.end, self.pad = (_id(tokenizer, names) for names in (STARTS, ENDS, PADS))
        self.unknown = tokenizer.token_to_id("[UNK]")
        self._turn = lru_cache(maxsize=4096)(self._turn)  # type: ignore[method-assign]

    def ids(self, texts: Sequence[str]) -> list[int]:
        """Return the start, and as much of the end of the conversation as is read."""
        whole = [token for text in texts for token in self._turn(text)]
        return [self.start, *whole[-(self._max_tokens - 1) :]]

    def is_cut(self, texts: Sequence[str]) -> bool:
        """Say whether the beginning of the conversation is not read."""
        return sum(len(self._turn(text)) for text in texts) > self._max_tokens - 1

    def _turn(self, text: str) -> tuple[int, ...]:
        # Every word gives at least one token, so that no more words than tokens can be read.
        words = text.split()[-self._max_tokens :]
        ids = self._tokenizer.encode(" ".join(words), add_special_tokens=False).ids
        return (*ids[-self._max_tokens :], self.end)


def _id(tokenizer: Tokenizer, names: Sequence[str]) -> int:
    for name in names:
        found: int | None = tokenizer.token_to_id(name)
        if found is not None:
            return found
    raise UserError(f"the tokenizer has none of {', '.join(names)}; choose an encoder of the BERT family")
