"""A conversation in the terminal: what is typed, the commands, and what is shown."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from hearten.conversation import Conversation
from hearten.errors import UserError
from hearten.listener.answer import Answer
from hearten.taxonomy import BY_NAME, LABELS

COMMANDS = {
    "/intent": "/intent questioning: be answered that way from now on; /intent alone: as the listener thinks best",
    "/why": "what was read of you, and why the last reply was chosen",
    "/alternatives": "what else might have been said",
    "/undo": "take the last exchange back",
    "/save": "/save FILE: write the conversation to a file",
    "/new": "start over",
    "/quit": "end (or Ctrl-D)",
}
NOTICE = """\
This is a program, not a person, and not therapy. If you may be in danger, please call your local emergency number.
Write what happened to you. /help shows what else you can do.
"""
LIKELY = 0.05
"""Plans below this probability are not worth showing."""


class Terminal:
    """Shows one conversation. Replies go to stdout, everything else to stderr."""

    def __init__(self, conversation: Conversation, is_shown: bool) -> None:
        self._conversation, self._is_shown = conversation, is_shown

    def run(self, lines: Iterable[str]) -> None:
        """Answer line after line, until there is no more or somebody quits."""
        _tell(NOTICE)
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "/quit":
                return
            try:
                self._take(word, rest.strip(), line.strip())
            except UserError as error:
                _tell(f"hearten: {error}")

    def _take(self, word: str, rest: str, line: str) -> None:
        match word:
            case "":
                return
            case "/help":
                _tell("\n".join(f"  {name:<14} {about}" for name, about in COMMANDS.items()))
            case "/undo":
                self._conversation.undo()
            case "/new":
                self._conversation.clear()
            case "/intent":
                self._set_intent(rest)
            case "/why":
                _tell(why(self._last()))
            case "/alternatives":
                _tell(alternatives(self._last()))
            case "/save":
                self._save(rest)
            case _ if word.startswith("/"):
                _tell(f"there is no {word}; try {', '.join(COMMANDS)}")
            case _:
                self._answer(line)

    def _answer(self, text: str) -> None:
        shown = ""
        for piece in self._conversation.stream(text):
            print(piece if shown else f"hearten: {piece}", end="", flush=True)
            shown += piece
        print()
        last = self._last()
        if last.text != shown:  # unfit, and replaced
            print(f"hearten: {last.text}")
        if self._is_shown and last.reading and not last.reading.unsure:
            _tell(f"         ({last.reading.label})")

    def _set_intent(self, name: str) -> None:
        if name and name not in LABELS:
            raise UserError(f"there is no emotion or intent '{name}'; see: hearten list emotions")
        self._conversation.intent = name or None
        _tell(f"from now on: {BY_NAME[name].gloss}" if name else "from now on: as the listener thinks best")

    def _save(self, name: str) -> None:
        if not name:
            raise UserError("name a file: /save talk.json")
        path = Path(name).expanduser()
        if path.exists():
            raise UserError(f"{path} exists already; name another file")
        text = json.dumps(self._conversation.table(), indent=1, ensure_ascii=False)
        try:
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path} cannot be written ({error.strerror}); name another file") from None
        _tell(f"saved to {path}")

    def _last(self) -> Answer:
        if self._conversation.last is None:
            raise UserError("nothing has been answered yet; write something first")
        return self._conversation.last


def why(answer: Answer) -> str:
    """Explain a reply: what was read, what was planned, and how the chosen candidate scored."""
    lines = []
    if answer.crisis:
        lines.append(f"your message was taken for a crisis ({answer.crisis.kind}); then help comes before all else")
    if answer.reading:
        top = list(answer.reading.probabilities.items())[:3]
        lines += ["read of you:", *(f"  {_bar(share)} {name}" for name, share in top)]
    likely = [(name, share) for name, share in list(answer.plans.items())[:3] if share >= LIKELY]
    if likely:
        lines += ["how a listener would respond:", *(f"  {_bar(share)} {name}" for name, share in likely)]
    said = answer.candidates[0] if answer.candidates else None
    if said and said.scores:
        parts = ", ".join(f"{name} {value:.2f}" for name, value in said.scores.items())
        lines.append(f"chosen of {len(answer.candidates)} with {said.total:.2f} ({parts})")
    return "\n".join(lines) or "this system gives no reasons"


def alternatives(answer: Answer) -> str:
    """List what else was considered, with what spoke against it."""
    others = [one for one in answer.candidates if one.text != answer.text]
    lines = [
        f"  {one.total:6.2f} {f'({one.plan}) ' if one.plan else ''}{one.text}"
        + (f" [not said: {one.objection}]" if one.objection else "")
        for one in others
    ]
    return "\n".join(lines) or "nothing else was considered"


def _bar(share: float) -> str:
    return f"{'█' * round(20 * share):<20} {share:4.0%}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr)
