"""The answer to a crisis: fixed words and whom to call."""

from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import Any

from hearten.safety.helplines import DIRECTORY, Helpline, helplines
from hearten.safety.kinds import Crisis

NO_ANSWER = "If a line is busy or closed, please try the next one."
"""Some lines are not open at all hours, and a phone that rings in vain must not read as "nobody came"."""


def crisis_reply(crisis: Crisis, country: str | None) -> str:
    """Return what to say to somebody in a crisis, with the helplines of their country (ISO code, None if unknown)."""
    answer = _answers()[crisis.kind]
    order: list[str] = answer["lines"]
    wanted = (line for line in helplines(country) if line.purpose in order)
    lines = sorted(wanted, key=lambda line: (line.number == DIRECTORY, order.index(line.purpose)))
    words = str(answer["gentle" if crisis.gentle else "firm"])
    return "\n".join([words, "", *(f"- {_shown(line)}" for line in lines), "", NO_ANSWER])


def _shown(line: Helpline) -> str:
    name = line.name[0].upper() + line.name[1:]
    return f"{name}: {line.number}"


@cache
def _answers() -> dict[str, Any]:
    return loads((files("hearten.safety") / "answers.toml").read_text(encoding="utf-8"))
