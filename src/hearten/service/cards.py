"""What is shown to somebody in a crisis, and to anybody who asks whom to call."""

from typing import Any

from hearten.safety.answers import crisis_reply
from hearten.safety.helplines import helplines
from hearten.safety.kinds import Crisis

PURPOSES = {
    "emergency": "In danger of life, at once",
    "support": "Somebody who listens",
    "violence": "Help against violence",
}


def lines(country: str | None) -> list[dict[str, str]]:
    """Return whom a person in a country can reach."""
    return [{"name": line.name, "number": line.number, "about": PURPOSES[line.purpose]} for line in helplines(country)]


def card(crisis: Crisis, country: str | None) -> dict[str, Any]:
    """Return the card for a crisis: the fixed words, and the lines that go with them in the same order."""
    reply = crisis_reply(crisis, country)
    listed = [line for line in lines(country) if f": {line['number']}\n" in reply]
    listed.sort(key=lambda line: reply.index(f": {line['number']}\n"))
    return {"kind": crisis.kind, "text": reply.partition("\n\n- ")[0], "helplines": listed}
