"""The list of words and phrases that no reply should hold."""

import re
from functools import cache
from importlib.resources import files


def holds_unsafe_words(text: str) -> bool:
    """Say whether a text holds an insult, a slur, a sexual word or a call to harm from `unsafe.txt`."""
    return bool(_unsafe_words().search(text))


@cache
def _unsafe_words() -> re.Pattern[str]:
    lines = (files("hearten.safety") / "unsafe.txt").read_text(encoding="utf-8").splitlines()
    terms = [re.escape(line) for line in lines if line and not line.startswith("#")]
    return re.compile(rf"\b(?:{'|'.join(terms)})\b", re.IGNORECASE)
