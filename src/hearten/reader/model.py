"""The reader: contexts or utterances in, calibrated readings with evidence out. Needs no torch."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from hearten.data.tokens import words
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.reader import counts, folder
from hearten.reader.counts import Counts
from hearten.reader.evidence import Texts, weigh
from hearten.reader.folder import Card
from hearten.reader.layout import Layout
from hearten.reader.readings import Evidence, Reading
from hearten.reader.session import Session, read_tokenizer
from hearten.system import Array, normalised

KNOWN = 0.5
"""Share of the words that must have been seen in training; other languages have fewer."""


class Reader:
    """Reads how a speaker feels, what an utterance does, and how a listener would respond."""

    def __init__(
        self, card: Card, session: Session, known_words: frozenset[str], counted: Mapping[str, Counts]
    ) -> None:
        self.card = card
        self._session, self._known, self._counted = session, known_words, counted

    @classmethod
    def load(cls, place: Path | None = None, threads: int = 0) -> Self:
        """Load a reader from its folder, or the shipped one."""
        home = place or folder.shipped()
        card = folder.read(home)
        layout = Layout(read_tokenizer(home / folder.TOKENIZER), card.max_tokens)
        known = frozenset((home / folder.WORDS).read_text(encoding="utf-8").split())
        return cls(card, Session(home / folder.MODEL, layout, threads), known, counts.read(home / folder.COUNTS))

    def read(self, contexts: Sequence[Sequence[Turn] | str], evidence: bool = False) -> list[Reading]:
        """Read how the speaker feels: one of 32 emotions for each conversation, or text that tells of a situation."""
        return self._readings("emotion", [_texts(context) for context in contexts], evidence)

    def read_and_expect(self, context: Sequence[Turn]) -> tuple[Reading, dict[str, float]]:
        """Read one conversation, and say how a listener would respond, the likeliest ways first: both in one pass.

        The second part is empty where the reader has not learned it.
        """
        texts = _texts(context)
        logits = self._session.logits([texts])
        found = {head: self._calibrated(head, logits[head], [texts])[0] for head in self.card.heads}
        expected = ranked(self.card.heads["plan"].labels, found["plan"]) if "plan" in found else {}
        return self._reading("emotion", texts, found["emotion"], evidence=False), expected

    def read_utterances(self, utterances: Sequence[str], evidence: bool = False) -> list[Reading]:
        """Read what each utterance expresses or does: one of 41 labels."""
        return self._readings("label", [_texts(utterance) for utterance in utterances], evidence)

    def read_conversations(self, conversations: Sequence[Sequence[str]]) -> list[tuple[Texts, Reading, Reading]]:
        """Return the turns as read, the emotion of each conversation and the label of its last utterance, explained."""
        given = [tuple(_printable(turn) for turn in turns) for turns in conversations]
        felt = self._readings("emotion", given, evidence=True)
        said = self._readings("label", [turns[-1:] for turns in given], evidence=True)
        return list(zip(given, felt, said, strict=True))

    def emotions(self, contexts: Sequence[Sequence[Turn]]) -> Array:
        """Return calibrated probabilities of shape (contexts, 32)."""
        return self._probabilities("emotion", [_texts(context) for context in contexts])

    def labels(self, texts: Sequence[str]) -> Array:
        """Return calibrated probabilities of shape (texts, 41)."""
        return self._probabilities("label", [_texts(text) for text in texts])

    def intents(self, contexts: Sequence[Sequence[Turn]]) -> Array:
        """Return calibrated probabilities of shape (contexts, 41): what a listener's reply would express or do."""
        if "plan" not in self.card.heads:
            raise UserError(f"this reader has not learned how listeners respond; {folder.HOW_TO_MAKE}")
        return self._probabilities("plan", [_texts(context) for context in contexts])

    def _readings(self, head: str, texts: Sequence[Texts], evidence: bool) -> list[Reading]:
        rows = self._probabilities(head, texts)
        return [self._reading(head, one, row, evidence) for one, row in zip(texts, rows, strict=True)]

    def _reading(self, head: str, texts: Texts, row: Array, evidence: bool) -> Reading:
        names = self.card.heads[head].labels
        likeliest = int(row.argmax())
        return Reading(
            label=names[likeliest],
            probabilities=ranked(names, row),
            unsure=self._doubt(head, texts, float(row[likeliest])),
            is_cut=self._session.layout.is_cut(texts),
            evidence=self._evidence(head, texts, likeliest) if evidence else (),
        )

    def _evidence(self, head: str, texts: Texts, label: int) -> tuple[Evidence, ...]:
        return weigh(texts, label, lambda ones: self._probabilities(head, ones), self.card.max_tokens)

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

    def _probabilities(self, head: str, texts: Sequence[Texts]) -> Array:
        return self._calibrated(head, self._session.logits(texts)[head], texts)

    def _calibrated(self, head: str, logits: Array, texts: Sequence[Texts]) -> Array:
        about = self.card.heads[head]
        if head in self._counted:
            told = [said_last(one, self.card.max_tokens) for one in texts]
            logits = logits + about.counts_weight * self._counted[head].logits(told)
        return normalised(logits / about.temperature)


def said_last(texts: Texts, most: int) -> list[str]:
    """Return the last words of a conversation: as many as the encoder reads tokens, at the most."""
    return [word for text in texts for word in words(text)][-most:]


def ranked(names: Sequence[str], row: Array) -> dict[str, float]:
    """Return the probability of each name, from the likeliest down."""
    return {names[place]: float(row[place]) for place in (-row).argsort(kind="stable")}


def _texts(context: Sequence[Turn] | str) -> Texts:
    given = (context,) if isinstance(context, str) else tuple(turn.text for turn in context)
    return tuple(_printable(text) for text in given)


def _printable(text: str) -> str:
    """Return a text that a tokenizer can take: control characters become spaces, half characters question marks."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() else " " for char in whole)
