"""The four tokens that hold an input together, and how a pretrained language model gets to know them."""

from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer
from torch import Tensor

from hearten.dialogue import Role
from hearten.errors import UserError

START, SPEAKER, LISTENER, END = "<|persona|>", "<|speaker|>", "<|listener|>", "<|reply end|>"
DONORS = {
    START: ("<|im_start|>", "<|endoftext|>"),
    SPEAKER: ("user", "Ġuser", "you</w>"),
    LISTENER: ("assistant", "Ġassistant", "i</w>"),
    END: ("<|im_end|>", "<|endoftext|>", ".</w>"),
}
"""Tokens of known vocabularies that mean something like it: the first one present lends its embedding."""


@dataclass(frozen=True, slots=True)
class Separators:
    """Their ids. Each but the end opens a part of the input and tells whose it is."""

    start: int
    speaker: int
    listener: int
    end: int

    def of(self, role: Role) -> int:
        """Return what opens a turn."""
        return self.speaker if role == "speaker" else self.listener


def separators(tokenizer: Tokenizer) -> Separators:
    """Look the separators up in a vocabulary that has them."""
    return Separators(*(_number(tokenizer, token) for token in DONORS))


def teach(tokenizer: Tokenizer, causal_lm: Any) -> None:
    """Add the separators to a vocabulary, and to a model that does not know them yet."""
    donors = {token: _donor(tokenizer, likes) for token, likes in DONORS.items()}
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in DONORS])
    size = tokenizer.get_vocab_size()
    if size > causal_lm.get_input_embeddings().weight.shape[0]:
        causal_lm.resize_token_embeddings(size, mean_resizing=False)
    for embeddings in (causal_lm.get_input_embeddings(), causal_lm.get_output_embeddings()):
        _lend(embeddings.weight, {_number(tokenizer, token): donor for token, donor in donors.items()})


def _number(tokenizer: Tokenizer, token: str) -> int:
    number = tokenizer.token_to_id(token)
    if number is None:
        raise UserError(f"the vocabulary of this model lacks {token}; train it again")
    return number


def _donor(tokenizer: Tokenizer, likes: tuple[str, ...]) -> int | None:
    return next((number for token in likes if (number := tokenizer.token_to_id(token)) is not None), None)


@torch.no_grad()
def _lend(weight: Tensor, donors: dict[int, int | None]) -> None:
    """Copy the donors' rows, and for lack of a donor the mean of the vocabulary."""
    mean = weight[: min(donors)].mean(0)
    for number, donor in donors.items():
        weight[number] = mean if donor is None else weight[donor]
