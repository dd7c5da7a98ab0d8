"""The kinds of crisis, and what is said of one that was found. Deliberately holds no text of the person."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["suicide", "self-harm", "harmed", "harming", "emergency", "worried", "bereaved"]
KINDS: tuple[Kind, ...] = get_args(Kind)
GLOSSES: dict[Kind, str] = {
    "suicide": "thinks of ending their life",
    "self-harm": "hurts themselves, or is about to",
    "harmed": "is being hurt or threatened by somebody",
    "harming": "hurts somebody else, or is about to",
    "emergency": "needs a doctor at once: an overdose, somebody who does not breathe",
    "worried": "fears for somebody else who may die or be hurt",
    "bereaved": "lost somebody to suicide",
}


@dataclass(frozen=True, slots=True)
class Crisis:
    """What a message speaks of.

    A `gentle` finding is less certain or less pressing: the classifier alone found it, the person says no ("I would
    never hurt myself"), or it lies years back. It deserves an offer of help, in softer words.
    """

    kind: Kind
    gentle: bool
    found_by: Literal["phrase", "classifier"]
