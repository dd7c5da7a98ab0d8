"""What goes over the wire: the JSON of requests and answers."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from hearten.safety.helplines import countries
from hearten.store.views import ConversationView, TurnView
from hearten.taxonomy import EMOTIONS, INTENTS

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def _storable(text: str) -> str:
    if _UNSTORABLE.search(text):
        raise ValueError("the text has characters that cannot be kept (NUL or halves of a pair); please remove them")
    return text


def _spoken(text: str) -> str:
    if not text.strip():
        raise ValueError("the message is empty; please write something")
    return text


def _emotion(name: str) -> str:
    if name not in EMOTIONS:
        raise ValueError("this is not one of the emotions that /api/session lists")
    return name


def _intent(name: str) -> str:
    if name not in INTENTS:
        raise ValueError("this is not one of the intents that /api/session lists")
    return name


def _country(code: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{2}", code):
        raise ValueError("a country is two letters, such as NL")
    return code.upper()


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_storable)]
Spoken = Annotated[Text, AfterValidator(_spoken)]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,100}$")]
Country = Annotated[str, AfterValidator(_country)]
Emotion = Annotated[str, AfterValidator(_emotion)]
Intent = Annotated[str, AfterValidator(_intent)]
Reason = Literal["harmful", "hurtful", "nonsense", "off-topic", "repetitive", "false", "other"]


class Request(BaseModel):
    """Base of all requests: unknown fields are refused, so that a typing mistake is noticed."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class NewConsent(Request):
    """Whether conversations may be used for research."""

    research: bool


class NewConversation(Request):
    """Which system to talk to; the default one if not said."""

    system: Annotated[str, Field(max_length=200), AfterValidator(_storable)] | None = None


class NewTitle(Request):
    """What a conversation is called."""

    title: Annotated[Spoken, Field(max_length=120)]


class NewTurn(Request):
    """What the person says. The same key again is the same turn."""

    text: Spoken
    key: Key
    intent: Intent | None = None
    country: Country | None = None


class Again(Request):
    """Another reply to the last turn. The same key again is the same reply."""

    key: Key
    country: Country | None = None


class NewReport(Request):
    """What is wrong with a reply."""

    reason: Reason
    note: Annotated[Text, Field(max_length=2000)] | None = None


class NewEdit(Request):
    """What a reply should have been."""

    text: Annotated[Spoken, Field(max_length=4000)]


class NewRating(Request):
    """A thumb up, down, or taken back."""

    value: Literal[1, -1, 0]


class NewEmotion(Request):
    """How the person says that they felt."""

    emotion: Emotion


class Helpline(BaseModel):
    """Somebody to call."""

    name: str
    number: str
    about: str


class CrisisCard(BaseModel):
    """Shown instead of a reply to somebody in a crisis."""

    kind: str
    text: str
    helplines: list[Helpline]


class Guess(BaseModel):
    """An emotion and how likely it is."""

    id: str
    probability: float


class Evidence(BaseModel):
    """Where a word stands, in Unicode characters, and how many log-odds the emotion loses without it."""

    start: int
    end: int
    weight: float


class Reading(BaseModel):
    """How a message was read."""

    emotions: list[Guess]
    evidence: list[Evidence] = []
    unsure: str | None = None
    valence: float = 0.0


class Alternative(BaseModel):
    """What else might have been said."""

    text: str
    plan: str | None = None


class Turn(BaseModel):
    """One utterance with all that happened to it."""

    id: str
    role: Literal["speaker", "listener"]
    text: str
    created: str
    reading: Reading | None = None
    correction: str | None = None
    """The emotion that the person named instead."""
    intent: str | None = None
    plan: str | None = None
    crisis: CrisisCard | None = None
    rating: Literal[1, -1, 0] = 0
    reported: bool = False
    edited: str | None = None
    alternatives: list[Alternative] = []
    stopped: bool = False


class Summary(BaseModel):
    """A line in the list of conversations."""

    id: str
    title: str
    created: str
    updated: str
    turns: int


class Conversation(BaseModel):
    """A whole conversation."""

    id: str
    title: str
    system: str
    created: str
    updated: str
    turns: list[Turn]


class Moment(BaseModel):
    """How the person felt at one turn."""

    turn_id: str
    emotion: str
    valence: float
    probability: float | None
    corrected: bool


def stamp(seconds: float) -> str:
    """Write a time as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def turn(view: TurnView) -> Turn:
    """Write a turn."""
    return Turn(
        id=view.id,
        role=view.role,
        text=view.text,
        created=stamp(view.created),
        reading=_reading(view.reading),
        correction=view.corrected,
        intent=view.intent,
        plan=view.plan,
        crisis=CrisisCard(**view.crisis) if view.crisis else None,
        rating=view.rating,  # type: ignore[arg-type]
        reported=view.reported is not None,
        edited=view.edited,
        alternatives=[Alternative(**one) for one in view.alternatives],
        stopped=view.is_stopped,
    )


def conversation(view: ConversationView) -> Conversation:
    """Write a conversation."""
    return Conversation(
        id=view.id,
        title=view.shown_title,
        system=view.system,
        created=stamp(view.created),
        updated=stamp(view.updated),
        turns=[turn(one) for one in view.turns],
    )


def known_countries() -> list[str]:
    """List the countries whose helplines we know."""
    return sorted(countries())


def _reading(table: dict[str, Any] | None) -> Reading | None:
    return Reading(**table) if table else None
