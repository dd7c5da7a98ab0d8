"""Looks at a reply while it is being written: what must not be said is not shown, and something else is said."""

from collections.abc import Sequence

from hearten.dialogue import Turn
from hearten.safety.replies import ReplyCheck, repair_reply


class Guard:
    """Lets the pieces of one reply through as long as nothing speaks against what was written so far.

    Each piece is judged together with all before it, and before it is shown; so a word is withheld at the latest when
    its last letters arrive, a phrase at its last word.
    """

    def __init__(self, context: Sequence[Turn], is_calm: bool = False) -> None:
        self._context, self._check = context, ReplyCheck(context, is_calm)
        self.text = ""
        self.objection: str | None = None

    def pass_on(self, piece: str) -> str:
        """Return what of the next piece may be shown."""
        self.text += piece
        self.objection = self.objection or self._check.objection(self.text)
        return "" if self.objection else piece

    def settled(self, whole: str, emotion: str | None = None) -> str:
        """Return the reply, or what is said instead of it."""
        self.objection = self.objection or self._check.objection(whole)
        if not whole.strip():
            self.objection = self.objection or "empty"
        return repair_reply(self._context, emotion) if self.objection else whole.strip()
