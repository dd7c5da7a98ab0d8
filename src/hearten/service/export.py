"""A conversation for taking away, and the course of its feelings."""

from typing import Any

from hearten.service.wire import stamp
from hearten.store.views import ConversationView
from hearten.taxonomy import BY_NAME

NAMES = {"speaker": "You", "listener": "hearten"}


def markdown(view: ConversationView) -> str:
    """Write a conversation so that it can be read anywhere; what people wrote is quoted, never markup."""
    parts = [f"# {_plain(view.shown_title)}", f"{stamp(view.created)}, with {view.system}"]
    for turn in view.turns:
        quoted = "\n".join(f"> {_plain(line)}" for line in turn.text.splitlines() or [""])
        parts.append(f"**{NAMES[turn.role]}** ({stamp(turn.created)})\n\n{quoted}")
        feeling = turn.corrected or (turn.reading["emotions"][0]["id"] if turn.reading else None)
        if feeling:
            parts.append(f"*read as {feeling}*" if not turn.corrected else f"*felt {feeling}*")
        if turn.edited:
            parts.append(
                "*what it should have said:*\n\n" + "\n".join(f"> {_plain(x)}" for x in turn.edited.splitlines())
            )
    return "\n\n".join(parts) + "\n"


def trajectory(view: ConversationView) -> list[dict[str, Any]]:
    """Return the emotion and valence of each turn of the person that was read or corrected."""
    found: list[dict[str, Any]] = []
    for turn in view.turns:
        if turn.corrected:
            moment = {"emotion": turn.corrected, "valence": BY_NAME[turn.corrected].valence, "probability": None}
            found.append({"turn_id": turn.id, **moment, "corrected": True})
        elif turn.reading:
            first = turn.reading["emotions"][0]
            moment = {"emotion": first["id"], "valence": turn.reading["valence"], "probability": first["probability"]}
            found.append({"turn_id": turn.id, **moment, "corrected": False})
    return found


def _plain(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|!" else char for char in text)
