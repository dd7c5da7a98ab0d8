"""One person talking with one system, in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from hearten.dialogue import Reply, Turn
from hearten.errors import UserError
from hearten.listener.answer import Answer
from hearten.safety.answers import crisis_reply
from hearten.safety.detect import crisis
from hearten.system import Context, Replies, System, TakesIntent, capabilities

LONGEST = 20_000
"""Characters in one message at the most."""


@runtime_checkable
class Explains(Protocol):
    """A system that gives its replies piece by piece, and in the end its reasons."""

    def stream(
        self, context: Context, intent: str | None = None, seed: int = 0, country: str | None = None
    ) -> Iterator[str | Answer]:
        """Give the reply, then the whole answer."""
        ...

    def answer_many(self, contexts: Sequence[Context], intent: str | None = None) -> list[Answer]:
        """Answer several conversations together."""
        ...


@dataclass
class Conversation:
    """Keeps the turns so far and asks the system for the next one."""

    system: System
    turns: list[Turn] = field(default_factory=list)
    intent: str | None = None
    """How the person wants to be answered: one of the 41 labels; as the system thinks best when None."""
    country: str | None = None
    """Whose helplines are offered in a crisis."""
    last: Answer | None = None
    """The last reply with its reasons."""

    def __post_init__(self) -> None:
        if not isinstance(self.system, Replies):
            able = ", ".join(capabilities(self.system)) or "nothing that a chat could use"
            raise UserError(f"this system does not answer (it can: {able}); choose another: hearten list systems")

    def say(self, text: str) -> Reply:
        """Take what the person says and return the reply."""
        for _ in self.stream(text):
            pass
        assert self.last is not None
        said = self.last.candidates[0] if self.last.candidates else None
        return Reply(self.last.text, said.total if said else 0.0, said.source if said else None)

    def stream(self, text: str) -> Iterator[str]:
        """Take what the person says and give the reply piece by piece; the exchange counts once all is given.

        The text that counts is `last.text`: a reply that turns out to be unfit on its way is replaced there.
        """
        said = Turn("speaker", _checked(text))
        answer = None
        for piece in self._pieces([*self.turns, said]):
            if isinstance(piece, Answer):
                answer = piece
            else:
                yield piece
        assert answer is not None
        self.turns += [said, Turn("listener", answer.text)]
        self.last = answer

    def undo(self) -> None:
        """Forget the last exchange."""
        del self.turns[-2:]
        self.last = None

    def clear(self) -> None:
        """Forget everything."""
        self.turns.clear()
        self.last = None

    def table(self) -> list[dict[str, Any]]:
        """Return the conversation as JSON can hold it."""
        return [{"role": turn.role, "text": turn.text} for turn in self.turns]

    def _pieces(self, context: list[Turn]) -> Iterator[str | Answer]:
        if isinstance(self.system, Explains):
            return self.system.stream(context, self.intent, len(self.turns), self.country)
        return iter(self._at_once(context))

    def _at_once(self, context: list[Turn]) -> list[str | Answer]:
        """Answer with a system that neither streams nor explains; a crisis is met before it is asked."""
        said = [turn.text for turn in context if turn.role == "speaker"]
        danger = crisis(said[-1], said[:-1])
        if danger:
            text = crisis_reply(danger, self.country)
            return [text, Answer(text, crisis=danger)]
        answer = Answer.of(self._replies(context)[0])
        return [answer.text, answer]

    def _replies(self, context: list[Turn]) -> list[Reply]:
        if self.intent is None:
            assert isinstance(self.system, Replies)
            return self.system.reply(context)
        if not isinstance(self.system, TakesIntent):
            raise UserError("this system cannot be told how to respond; choose one that can: hearten list systems")
        return self.system.reply_with(context, self.intent)


def _checked(text: str) -> str:
    if not text.strip():
        raise UserError("the message is empty; write something")
    if len(text) > LONGEST:
        raise UserError(f"the message has {len(text):,} characters; please keep it under {LONGEST:,}")
    return text.strip()
