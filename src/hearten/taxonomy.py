"""The 41 labels: 32 emotions of EmpatheticDialogues, 8 listener intents, and neutral. Named here and nowhere else.

Valence runs from -1 (unpleasant) to 1 (pleasant), our own coarse placing, for plots and for the page.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Label:
    """A feeling or a way of responding."""

    name: str
    kind: Literal["emotion", "intent", "neutral"]
    gloss: str
    valence: float
    colour: str


def _emotion(name: str, gloss: str, valence: float, colour: str) -> Label:
    return Label(name, "emotion", gloss, valence, colour)


def _intent(name: str, gloss: str, valence: float, colour: str) -> Label:
    return Label(name, "intent", gloss, valence, colour)


_ALL = (
    _emotion("afraid", "senses danger and wants to get away", -0.8, "#5b4b8a"),
    _emotion("angry", "feels wronged and wants it put right", -0.7, "#c0392b"),
    _emotion("annoyed", "is bothered by something small that will not stop", -0.5, "#d9734e"),
    _emotion("anticipating", "waits for something that is about to happen", 0.4, "#e0a030"),
    _emotion("anxious", "cannot stop thinking of what might go wrong", -0.6, "#7a6bb0"),
    _emotion("apprehensive", "hesitates before something uncertain", -0.4, "#9085b8"),
    _emotion("ashamed", "thinks less of themselves for what they did", -0.7, "#8c5a6b"),
    _emotion("caring", "looks after someone who needs it", 0.6, "#d98cb3"),
    _emotion("confident", "trusts their own ability", 0.7, "#2e86ab"),
    _emotion("content", "is at ease and needs nothing more", 0.8, "#6fae75"),
    _emotion("devastated", "has lost something that cannot be replaced", -1.0, "#2c3e60"),
    _emotion("disappointed", "hoped for more than came", -0.6, "#6d7f99"),
    _emotion("disgusted", "is repelled by something", -0.7, "#7d8f3c"),
    _emotion("embarrassed", "was seen in an awkward moment", -0.5, "#c98191"),
    _emotion("excited", "can hardly wait", 0.9, "#f2a03d"),
    _emotion("faithful", "stays true to someone or something", 0.6, "#4f7cac"),
    _emotion("furious", "is angry beyond patience", -0.9, "#96281b"),
    _emotion("grateful", "was given something and knows it", 0.9, "#58a68c"),
    _emotion("guilty", "did harm and regrets it", -0.7, "#7b6a58"),
    _emotion("hopeful", "believes that it may turn out well", 0.7, "#7fc4c0"),
    _emotion("impressed", "admires what someone did", 0.7, "#3d9bd1"),
    _emotion("jealous", "wants what somebody else has", -0.6, "#4e8b3a"),
    _emotion("joyful", "is delighted", 1.0, "#f5c542"),
    _emotion("lonely", "misses company", -0.7, "#54708c"),
    _emotion("nostalgic", "remembers a dear past", 0.3, "#b58a5a"),
    _emotion("prepared", "has done what can be done beforehand", 0.5, "#5f8f8b"),
    _emotion("proud", "thinks well of an achievement, theirs or of someone close", 0.9, "#c77dba"),
    _emotion("sad", "grieves over a loss", -0.8, "#3f5f8a"),
    _emotion("sentimental", "is touched by what something means to them", 0.3, "#c9a27e"),
    _emotion("surprised", "did not see it coming", 0.3, "#e8829a"),
    _emotion("terrified", "is overwhelmed by fear", -1.0, "#3d2c5e"),
    _emotion("trusting", "relies on someone without worry", 0.6, "#5aa0c8"),
    _intent("questioning", "asks, to understand better", 0.0, "#4c9f9f"),
    _intent("agreeing", "says that they see it the same way", 0.4, "#7dae4a"),
    _intent("acknowledging", "shows that what was said has been heard", 0.2, "#8fa3ad"),
    _intent("sympathizing", "feels sorry with the other", -0.2, "#7588c4"),
    _intent("encouraging", "gives courage", 0.6, "#e39b45"),
    _intent("consoling", "comforts", 0.3, "#a78fc4"),
    _intent("suggesting", "offers an idea of what to do", 0.2, "#b09a3f"),
    _intent("wishing", "wishes well", 0.6, "#e07fa0"),
    Label("neutral", "neutral", "carries no particular feeling or intent", 0.0, "#9a9a9a"),
)

BY_NAME = {label.name: label for label in _ALL}
EMOTIONS = tuple(label.name for label in _ALL if label.kind == "emotion")
INTENTS = tuple(label.name for label in _ALL if label.kind == "intent")
NEUTRAL = "neutral"
LABELS = tuple(BY_NAME)
