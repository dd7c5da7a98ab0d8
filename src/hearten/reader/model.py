"""The reader: contexts or utterances in, calibrated readings with evidence out. Needs no torch."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np

from hearten.data.tokens import words
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.reader import counts, folder, views
from hearten.reader.counts import Counts
from hearten.reader.evidence import Texts, weigh
from hearten.reader.folder import Card
from hearten.reader.layout import Layout
from hearten.reader.readings import Evidence, Reading
from hearten.reader.session import Session, read_tokenizer
from hearten.reader.views import Talk
from hearten.system import Array, normalised

SMALLEST = 1e-9
"""Chances below are taken for this, so that they have a logarithm."""
KNOWN = 0.5
"""Share of the words that must have been seen in training; other languages have fewer."""


class Reader:
    """Reads how a speaker feels, what an utterance does, and how a listener would respond."""

    def __init__(
        self,
        card: Card,
        session: Session,
        known_words: frozenset[str],
        counted: Mapping[str, Counts],
        second: "Reader | None" = None,
    ) -> None:
        """Take the parts, and a second reader where the card says how much it weighs."""
        self.card = card
        self._session, self._known, self._counted, self._second = session, known_words, counted, second

    @classmethod
    def load(cls, place: Path | None = None, threads: int = 0) -> Self:
        """Load a reader from its folder, or the shipped one."""
        home = place or folder.shipped()
        card = folder.read(home)
        layout = Layout(read_tokenizer(home / folder.TOKENIZER), card.max_tokens)
        known = frozenset((home / folder.WORDS).read_text(encoding="utf-8").split())
        session = Session(home / folder.MODEL, layout, threads)
        has_second = any(head.shipped_weight for head in card.heads.values())
        second = cls.load(None, threads) if has_second else None
        return cls(card, session, known, counts.read(home / folder.COUNTS), second)

    def read(self, contexts: Sequence[Sequence[Turn] | str], evidence: bool = False) -> list[Reading]:
        """Read how the speaker feels: one of 32 emotions for each conversation, or text that tells of a situation."""
        return self._readings("emotion", [_talk(context) for context in contexts], evidence)

    def read_and_expect(self, context: Sequence[Turn]) -> tuple[Reading, dict[str, float]]:
        """Read one conversation, and say how a listener would respond, the likeliest ways first: both in one pass.

        The second part is empty where the reader has not learned it.
        """
        talk = _talk(context)
        logits = self._session.logits([talk.texts])
        found = {head: self._calibrated(head, logits[head], [talk])[0] for head in self.card.heads}
        expected = ranked(self.card.heads["plan"].labels, found["plan"]) if "plan" in found else {}
        return self._reading("emotion", talk, found["emotion"], evidence=False), expected

    def read_utterances(self, utterances: Sequence[str], evidence: bool = False) -> list[Reading]:
        """Read what each utterance expresses or does: one of 41 labels."""
        return self._readings("label", [_talk(utterance) for utterance in utterances], evidence)

    def read_conversations(self, conversations: Sequence[Sequence[str]]) -> list[tuple[Texts, Reading, Reading]]:
        """Return the turns as read, the emotion of each conversation and the label of its last utterance, explained.

        Turns alternate, the speaker's first.
        """
        given = [Talk.alternating(tuple(_printable(turn) for turn in turns)) for turns in conversations]
        felt = self._readings("emotion", given, evidence=True)
        said = self._readings("label", [Talk.alternating(talk.texts[-1:]) for talk in given], evidence=True)
        return list(zip([talk.texts for talk in given], felt, said, strict=True))

    def emotions(self, contexts: Sequence[Sequence[Turn]]) -> Array:
        """Return calibrated probabilities of shape (contexts, 32)."""
        return self._probabilities("emotion", [_talk(context) for context in contexts])

    def labels(self, texts: Sequence[str]) -> Array:
        """Return calibrated probabilities of shape (texts, 41)."""
        return self._probabilities("label", [_talk(text) for text in texts])

    def intents(self, contexts: Sequence[Sequence[Turn]]) -> Array:
        """Return calibrated probabilities of shape (contexts, 41): what a listener's reply would express or do."""
        if "plan" not in self.card.heads:
            raise UserError(f"this reader has not learned how listeners respond; {folder.HOW_TO_MAKE}")
        return self._probabilities("plan", [_talk(context) for context in contexts])

    def log_chances(self, head: str, talks: Sequence[Talk]) -> Array:
        """Return the logs of calibrated probabilities. (talks, labels)"""
        return np.log(np.maximum(self._probabilities(head, talks), SMALLEST))

    def _readings(self, head: str, talks: Sequence[Talk], evidence: bool) -> list[Reading]:
        rows = self._probabilities(head, talks)
        return [self._reading(head, talk, row, evidence) for talk, row in zip(talks, rows, strict=True)]

    def _reading(self, head: str, talk: Talk, row: Array, evidence: bool) -> Reading:
        names = self.card.heads[head].labels
        likeliest = int(row.argmax())
        return Reading(
            label=names[likeliest],
            probabilities=ranked(names, row),
            unsure=self._doubt(head, talk.texts, float(row[likeliest])),
            is_cut=self._session.layout.is_cut(talk.texts),
            evidence=self._evidence(head, talk, likeliest) if evidence else (),
        )

    def _evidence(self, head: str, talk: Talk, label: int) -> tuple[Evidence, ...]:
        def probabilities(many: Sequence[Texts]) -> Array:
            return self._probabilities(head, [replace(talk, texts=texts) for texts in many])

        return weigh(talk.texts, label, probabilities, self.card.max_tokens)

    def _doubt(self, head: str, texts: Texts, probability: float) -> str | None:
        """Say why a reading should not be relied on."""
        said = said_last(texts, self.card.max_tokens)
        if not said:
            return "there are no words to read"
        if sum(word in self._known for word in said) < KNOWN * len(said):
            return "most of the words were never seen in training; the reader knows English only"
        if probability < self.card.heads[head].unsure_below:
            return f"the likeliest label has a probability of only {probability:.0%}"
        return None

    def _probabilities(self, head: str, talks: Sequence[Talk]) -> Array:
        return self._calibrated(head, self._session.logits([talk.texts for talk in talks])[head], talks)

    def _calibrated(self, head: str, logits: Array, talks: Sequence[Talk]) -> Array:
        about = self.card.heads[head]
        if about.alone_weight:
            logits = views.mixed(logits, views.alone(self._session, talks, logits), about.alone_weight)
        if head in self._counted:
            told = [said_last(talk.texts, self.card.max_tokens) for talk in talks]
            logits = logits + about.counts_weight * self._counted[head].logits(told)
        if self._second and about.shipped_weight:
            logits = logits + about.shipped_weight * self._second.log_chances(head, talks)
        return normalised(logits / about.temperature)


def said_last(texts: Texts, most: int) -> list[str]:
    """Return the last words of a conversation: as many as the encoder reads tokens, at the most."""
    return [word for text in texts for word in words(text)][-most:]


def ranked(names: Sequence[str], row: Array) -> dict[str, float]:
    """Return the probability of each name, from the likeliest down."""
    return {names[place]: float(row[place]) for place in (-row).argsort(kind="stable")}


def _talk(context: Sequence[Turn] | str) -> Talk:
    turns = (Turn("speaker", context),) if isinstance(context, str) else context
    talk = Talk.of_turns(turns)
    return replace(talk, texts=tuple(_printable(text) for text in talk.texts))


def _printable(text: str) -> str:
    """Return a text that a tokenizer can take: control characters become spaces, half characters question marks."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() else " " for char in whole)
