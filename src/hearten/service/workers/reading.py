"""How a message is read for the person: top three emotions at once, the words that say so when there is time."""

from collections.abc import Sequence
from typing import Any

from hearten.dialogue import Turn
from hearten.reader.evidence import Texts, find_words, weigh
from hearten.reader.model import Reader
from hearten.taxonomy import BY_NAME, EMOTIONS

TURNS = 5
"""How much of the conversation is read."""
TOP = 3
WORDS = 32
"""Longer messages get no evidence: each word costs a look at the whole message."""
SHOWN = 5
"""Words that are pointed out at the most."""
WEIGHT = 0.15
"""Log-odds that a word must move the reading by to be pointed out."""


def read(reader: Reader, context: Sequence[Turn]) -> dict[str, Any]:
    """Read the emotion of a conversation whose last turn is the person's."""
    reading = reader.read([list(context[-TURNS:])])[0]
    likeliest = list(reading.probabilities.items())[:TOP]
    valence = sum(BY_NAME[name].valence * chance for name, chance in reading.probabilities.items())
    return {
        "emotions": [{"id": name, "probability": round(chance, 6)} for name, chance in likeliest],
        "evidence": [],
        "unsure": reading.unsure,
        "valence": round(valence, 3),
    }


def with_evidence(reader: Reader, context: Sequence[Turn], table: dict[str, Any]) -> dict[str, Any]:
    """Add the words of the last message that speak for the likeliest emotion. Places count Unicode characters.

    Only the message itself is read anew without each word: with what was said before it would cost several times more.
    """
    texts: Texts = (context[-1].text,)
    words = len(find_words(texts, WORDS + 1))
    if not 0 < words <= WORDS:
        return table

    def probabilities(many: Sequence[Texts]) -> Any:
        return reader.emotions([[Turn("speaker", text) for text in one] for one in many])

    found = weigh(texts, EMOTIONS.index(table["emotions"][0]["id"]), probabilities, words)
    kept = [one for one in found[:SHOWN] if one.weight >= WEIGHT]
    evidence = [{"start": one.start, "end": one.end, "weight": round(one.weight, 3)} for one in kept]
    return {**table, "evidence": sorted(evidence, key=lambda one: one["start"])}
