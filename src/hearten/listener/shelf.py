"""A shelf: replies that the agent wrote beforehand, to be looked up where too many people wait for it to write any."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hearten.data.candidates import Candidate
from hearten.data.tokens import words
from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.listener.agent import Agent
from hearten.listener.flaws import flaws
from hearten.retrieval.collection import Collection
from hearten.retrieval.encoder import Encoder
from hearten.retrieval.index import Index
from hearten.retrieval.screen import screen

TOGETHER = 16
"""Conversations that are answered together."""
LONGEST = 24
"""Words and marks of a reply that may be said to many people."""
COMMON = 4
"""Words up to which a reply may be somebody's of the corpus: everybody says "oh no, what happened"."""


def written(agent: Agent, examples: Sequence[Example]) -> Iterator[list[Candidate]]:
    """Let the agent answer the contexts of examples, a few at a time; replies that it had to repair are left out."""
    for start in range(0, len(examples), TOGETHER):
        several = examples[start : start + TOGETHER]
        answers = agent.answer_many([example.context for example in several])
        yield [
            Candidate(example.id, answer.text)
            for example, answer in zip(several, answers, strict=True)
            if answer.crisis is None and any(one.text == answer.text for one in answer.candidates)
        ]


def stock(offered: Sequence[Candidate], corpus: Sequence[Example], encoder: object, place: Path) -> Counter[str]:
    """Write the folder of a shelf, and return why how many replies were left out.

    What somebody of the corpus said in the same words is theirs, and is left out unless everybody says it.
    """
    if not isinstance(encoder, Encoder):
        raise UserError("a shelf needs an agent with an exported ranker: its vectors are how replies are found")
    screened = screen(offered, LONGEST, strictly=True)
    theirs = {tuple(words(turn.text)) for one in corpus for turn in (*one.context, one.reply)}
    kept = []
    for one in screened.kept:
        reason = _objection(one.text, theirs)
        if reason:
            screened.left_out[reason] += 1
        else:
            kept.append(one)
    if not kept:
        raise UserError("no reply is left for the shelf; give it more conversations")
    Collection(kept, Index(encoder.candidates([one.text for one in kept]), len(kept))).save(place)
    return screened.left_out


def _objection(text: str, theirs: set[tuple[str, ...]]) -> str | None:
    said = tuple(words(text))
    if len(said) > COMMON and said in theirs:
        return "said in the corpus"
    if any(letter.isdigit() for letter in text):
        return "a number"
    return next(iter(flaws(text)), None)
