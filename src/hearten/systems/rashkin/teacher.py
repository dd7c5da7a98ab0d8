"""A better encoder that a smaller one learns from: its vectors of contexts and replies.

The two may differ in size: what is learned is which texts of a batch are alike (`encoders.unlikeness`).
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from tokenizers import Tokenizer

from hearten.backbones.manifest import sha256
from hearten.dialogue import Example, Turn
from hearten.listener.shipped import ranker
from hearten.nn.asking import answers
from hearten.retrieval.encoder import Encoder
from hearten.system import Array

Question = TypeVar("Question")

Told = tuple[tuple[str, str], ...]
"""Who said what, in a form that JSON can express."""


def taught(name: str, examples: Sequence[Example]) -> tuple[Array, Array]:
    """Return the teacher's vectors of all contexts, and of all replies. (examples, hidden of the teacher)"""
    place = ranker(name)
    encoder = Encoder(place)
    teacher = " ".join(sha256(path) for path in sorted(place.glob("*.onnx")))

    def contexts(several: Sequence[Told]) -> Array:
        return encoder.contexts([[Turn(role, text) for role, text in told] for told in several])  # type: ignore[arg-type]

    told = [tuple((turn.role, turn.text) for turn in example.context) for example in examples]
    replies = [example.reply.text for example in examples]
    return _once(f"{teacher} contexts", told, contexts), _once(f"{teacher} replies", replies, encoder.candidates)


def of_tokens(name: str, tokenizer: Tokenizer) -> Array:
    """Return the teacher's vector of each token of a vocabulary, read as a text of its own. (tokens, hidden)"""
    tokens = [tokenizer.decode([number]).strip() for number in range(tokenizer.get_vocab_size())]
    return Encoder(ranker(name)).candidates(tokens)


def _once(teacher: str, questions: Sequence[Question], ask: Callable[[Sequence[Question]], Array]) -> Array:
    """Ask for each different question once."""
    numbers = {question: number for number, question in enumerate(dict.fromkeys(questions))}
    found = answers(teacher, list(numbers), ask)
    return found[[numbers[question] for question in questions]]
