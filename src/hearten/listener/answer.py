"""What the agent answers, and its reasons, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hearten.dialogue import Reply
from hearten.reader.readings import Reading
from hearten.safety.kinds import Crisis


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reply that might be given."""

    text: str
    plan: str | None = None
    """The emotion or intent that it was asked to carry."""
    source: str | None = None
    """The corpus turn that it quotes, if it was looked up."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """What its total is made of, before weighing."""
    total: float = 0.0
    objection: str | None = None
    """Why it must not be said."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply with its reasons."""

    text: str
    reading: Reading | None = None
    plans: Mapping[str, float] = field(default_factory=dict)
    """How a listener would respond, from the likeliest down."""
    candidates: tuple[Candidate, ...] = ()
    """All that was considered, best first; the first one was said, unless there is an objection to each."""
    crisis: Crisis | None = None
    """Set where the reply is a fixed text that offers help."""

    @classmethod
    def of(cls, reply: Reply) -> Self:
        """Return the reply of a system that gives no reasons."""
        return cls(reply.text, candidates=(Candidate(reply.text, source=reply.source, total=reply.score),))

    @property
    def plan(self) -> str | None:
        """How the reply responds, if it was made by a plan."""
        said = self.candidates[0] if self.candidates else None
        return said.plan if said and said.text == self.text else None

    def table(self) -> dict[str, Any]:
        """Return the answer as JSON can hold it."""
        return {
            "reply": self.text,
            "emotion": self.reading.table(top=3) if self.reading else None,
            "plan": self.plan,
            "plans": dict(list(self.plans.items())[:5]),
            "crisis": self.crisis.kind if self.crisis else None,
            "alternatives": [
                {"text": one.text, "plan": one.plan, "score": one.total, "objection": one.objection}
                for one in self.candidates
                if one.text != self.text
            ],
        }
