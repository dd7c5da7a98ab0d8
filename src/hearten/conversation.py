"""One person talking with one system, in memory."""

from dataclasses import dataclass, field

from hearten.dialogue import Reply, Turn
from hearten.errors import UserError
from hearten.system import Replies, System, capabilities

LONGEST = 20_000
"""Characters in one message at the most."""


@dataclass
class Conversation:
    """Keeps the turns so far and asks the system for the next one."""

    system: System
    turns: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not isinstance(self.system, Replies):
            able = ", ".join(capabilities(self.system)) or "nothing that a chat could use"
            raise UserError(f"this system does not answer (it can: {able}); choose another: hearten list systems")

    def say(self, text: str) -> Reply:
        """Take what the person says and return the reply."""
        said = Turn("speaker", _checked(text))
        assert isinstance(self.system, Replies)
        reply = self.system.reply([*self.turns, said])[0]
        self.turns += [said, Turn("listener", reply.text)]
        return reply

    def undo(self) -> None:
        """Forget the last exchange."""
        del self.turns[-2:]


def _checked(text: str) -> str:
    if not text.strip():
        raise UserError("the message is empty; write something")
    if len(text) > LONGEST:
        raise UserError(f"the message has {len(text):,} characters; please keep it under {LONGEST:,}")
    return text.strip()
