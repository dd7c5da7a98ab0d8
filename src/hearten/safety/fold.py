"""Text as phrases and classifier see it: small plain letters, and the usual disguises taken off.

Accents, curly quotes, invisible characters, look-alike letters, s p a c e d and streeetched words and digits for
letters all become plain words; a full stop that stands alone ends a sentence. Writing other than Latin is left out.
Every step takes time proportional to the text.
"""

import re
import unicodedata
from functools import cache
from importlib.resources import files
from itertools import product
from tomllib import loads

LONGEST_WORD = 40
"""Letters kept of one word; longer ones are noise."""
LOOKALIKES = str.maketrans("авекмнорстухіјѕɑıɡøłđ", "abekmhopctyxijsaigold")
LEET = str.maketrans("013457@$!|", "oieastasil")
LEET_WITH_L = str.maketrans("013457@$!|", "oleastasll")
APOSTROPHES = re.compile(r"(?<=[a-z])['’‘ʼ`´](?=[a-z])")  # noqa: RUF001
SPACED = re.compile(r"(?<![a-z0-9])[a-z](?:[ ._*-][a-z]){2,}(?![a-z0-9])")
DISGUISED = re.compile(r"\S*(?:[a-z][0-9@$!|*]+[a-z]|[0-9@$!|*][a-z]{2})\S*|\S*([a-z])\1\1\S*")
RUN = re.compile(r"([a-z])\1{2,}")
STRETCH = re.compile(r"([a-z])\1{3,}")


@cache
def _spelling() -> tuple[frozenset[str], dict[str, str], re.Pattern[str]]:
    table = loads((files("hearten.safety") / "spelling.toml").read_text(encoding="utf-8"))
    forms: dict[str, str] = table["forms"]
    longest_first = sorted(forms, key=len, reverse=True)
    return frozenset(table["words"]), forms, re.compile(rf"\b(?:{'|'.join(longest_first)})\b")


def fold(text: str) -> str:
    """Return the plain words of a text, with a lone full stop between sentences."""
    plain = text.casefold() if text.isascii() else _latin(text)
    plain = APOSTROPHES.sub("", " ".join(plain.split()))
    plain = STRETCH.sub(r"\1\1\1", plain)
    plain = SPACED.sub(lambda run: _respaced(re.sub("[^a-z]", "", run[0])), plain)
    plain = re.sub(r"\S+", lambda word: _undisguised(word[0]), plain)
    plain = re.sub(r"[.!?](?=\s|$)", "\n", plain)
    plain = re.sub(r"[^a-z0-9\n]+", " ", plain)
    plain = re.sub(rf"([a-z0-9]{{{LONGEST_WORD}}})[a-z0-9]+", r"\1", plain)
    _, forms, written = _spelling()
    plain = written.sub(lambda form: forms[form[0]], plain)
    return re.sub(r" ?\n[ \n]*", " . ", plain).strip(" .")


def _latin(text: str) -> str:
    """Take accents and invisible characters off, and write look-alikes in Latin letters."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = (char for char in apart if unicodedata.category(char) not in ("Mn", "Me", "Cf"))
    return "".join(kept).translate(LOOKALIKES)


def _respaced(letters: str) -> str:
    """Put the spaces back into a phrase that was written letter by letter."""
    words, _, _ = _spelling()
    hidden = "|".join(sorted((word.replace(" ", "") for word in words if " " in word), key=len, reverse=True))
    spaced = {word.replace(" ", ""): word for word in words if " " in word}
    return re.sub(hidden, lambda found: f" {spaced[found[0]]} ", letters)


def _undisguised(word: str) -> str:
    """Return the word that is meant, where one of our words is; stretched words are shortened in any case."""
    if len(word) > LONGEST_WORD or not DISGUISED.search(word):
        return word
    bare = word.rstrip("!?.,;:|*")
    words, _, _ = _spelling()
    for alphabet in (LEET, LEET_WITH_L):
        for option in _shortened(bare.translate(alphabet)):
            if option in words:
                return option + word[len(bare) :]
    if "*" in bare:
        pattern = re.compile("".join("[a-z]" if char == "*" else re.escape(char) for char in bare))
        return min((one for one in words if pattern.fullmatch(one)), default=word)
    return RUN.sub(r"\1", word)


def _shortened(word: str) -> list[str]:
    """List the ways to write a stretched word with one or two letters for each run."""
    runs = list(RUN.finditer(word))[:4]
    if not runs:
        return [word]
    parts = RUN.split(word)
    return [
        "".join(
            part if place % 2 == 0 else part * (counts[place // 2] if place // 2 < len(counts) else 1)
            for place, part in enumerate(parts)
        )
        for counts in product((1, 2), repeat=len(runs))
    ]


def sentences(folded: str) -> list[str]:
    """Split folded text into its sentences."""
    return [part for part in folded.split(" . ") if part]
