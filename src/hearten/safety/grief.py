"""After a death: replies that take the dead for living, or cheer. To the dying and theirs: hopes that are none.

A small language model forgets that somebody died, and hopes that he gets well. Few replies hurt more. The patterns are
in `replies.toml`; they know who died by the words beside the death, and miss what those do not tell.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from hearten.safety.rules import Patterns, Reason, any_of, table

PRONOUNS = ("he", "she")
STOP = " . "


def grief(said: Sequence[str]) -> list[Patterns]:
    """Return what must not be said after a person's messages, given folded: nothing unless they tell of death."""
    return [*_of_the_dead(said), *([_patterns("to_the_dying", ())] if any(map(_tells_of_dying, said)) else [])]


def _of_the_dead(said: Sequence[str]) -> list[Patterns]:
    has_strayed = any(_pattern("strayed").search(message) for message in said)
    tellings = [one for message in said for one in message.split(STOP) if _tells(one, has_strayed)]
    if not tellings:
        return []
    named = {name for sentence in tellings for being in _being().findall(sentence) for name in _names(being)}
    is_news = any(_tells(sentence, has_strayed) for sentence in said[-1].split(STOP))
    return [_patterns(name, tuple(sorted(named))) for name in ("in_grief", *(["at_news"] if is_news else []))]


def _tells(sentence: str, has_strayed: bool) -> bool:
    """Say whether somebody died; who is lost may only have strayed, and things die too."""
    is_lost = not has_strayed and _pattern("lost").search(sentence)
    return bool(is_lost or _pattern("words").search(sentence)) and not _pattern("things").search(sentence)


def _tells_of_dying(message: str) -> bool:
    return bool(_pattern("dying").search(message))


def _names(being: str) -> set[str]:
    """Return the words that may stand for the same one."""
    return {name for names in table()["death"]["beings"] if being in names for name in names}


@cache
def _being() -> re.Pattern[str]:
    return any_of([name for names in table()["death"]["beings"] for name in names])


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return any_of([word.replace("BEING", _being().pattern) for word in table()["death"][name]])


@lru_cache(maxsize=256)
def _patterns(name: str, named: tuple[str, ...]) -> Patterns:
    """Return the patterns of a table, with those who died put in."""
    theirs = [rf"(?:your|the) (?:\w+ )?{being}" for being in named]
    puts = {"DEAD": f"(?:{'|'.join([*PRONOUNS, *theirs])})", "NAMED": f"(?:{'|'.join(named) or 'nobody'})"}
    listed: dict[Reason, list[str]] = table()[name]
    return {
        reason: any_of([re.sub("DEAD|NAMED", lambda found: puts[found[0]], one) for one in patterns])
        for reason, patterns in listed.items()
    }
