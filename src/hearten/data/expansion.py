"""From 506 hand-labelled listener turns to about 7,000: search EmpatheticDialogues for the cues of each intent.

MEED2 (Xie and Pu, CoNLL 2021, section 3.2) labelled some 500 sentences by hand and searched for the most frequent
n-grams of each intent. The paper gives no more, so the rest is ours: a cue is an n-gram of one to four words that at
least three hand-labelled turns of an intent hold and that is rarely met elsewhere; a turn takes the label of its cues,
and is left out where they disagree.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hearten.data import source
from hearten.data.corpora.empathetic_intents import auto_labels
from hearten.data.tokens import ngrams
from hearten.dialogue import Labelled, turn_id
from hearten.places import cache_folder, whole_folder
from hearten.taxonomy import INTENTS, NEUTRAL

KINDS = (*INTENTS, NEUTRAL)
# The paper's ninth category holds all other intents; advice is what `suggesting` means among the 41.
COARSE = {**{name: name for name in INTENTS}, "advising": "suggesting"}
LONGEST = 4
RAREST = 3
"""How many hand-labelled turns of the intent hold a cue."""
PURITY = 0.6
"""Share of the hand-labelled turns with a cue that have its intent, were all intents equally frequent."""
CUES = 40
"""Cues of each intent, the most frequent first."""
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[?]")  # a question mark is the best cue there is


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often the labels found are those of others, where both label a turn."""

    label: str
    count: int
    lexical: float | None
    automatic: float | None


@dataclass(frozen=True, slots=True)
class Expansion:
    """What was found: turns with their labels, the cues that found them, and how others label them."""

    texts: list[Labelled]
    cues: dict[str, list[str]]
    agreement: list[Agreement]

    def table(self) -> list[list[str]]:
        """Return a row of text for each intent, and one for all."""
        return [
            [row.label, str(row.count), _percent(row.lexical), _percent(row.automatic), self._shown(row.label)]
            for row in self.agreement
        ]

    def _shown(self, label: str) -> str:
        return ", ".join(self.cues.get(label, [])[:5])


def expand(size: int = 7000, seed: int = 0) -> Expansion:
    """Label about `size` turns: the hand-labelled ones, and found ones, balanced as far as there are enough of each."""
    with closing(source.texts("empathetic_intents", "manual")) as found:
        seeds = [Labelled(text.id, text.text, COARSE.get(text.label, NEUTRAL)) for text in found]
    cues = find_cues(seeds)
    known = {plain(text.text) for text in seeds}
    matched = _search(cues, (turn for turn in _listener_turns() if plain(turn.text) not in known))
    texts = [*seeds, *_balanced(matched, seeds, size, seed)]
    return Expansion(texts, cues, _compare([text for text in texts if "#" in text.id]))


def find_cues(seeds: Sequence[Labelled]) -> dict[str, list[str]]:
    """Return the n-grams of each intent, the most frequent first."""
    held: dict[str, Counter[str]] = defaultdict(Counter)
    for text in seeds:
        held[text.label].update(grams(text.text))
    sizes = Counter(text.label for text in seeds)
    return {label: _purest(label, held, sizes) for label in KINDS if sizes[label]}


def _purest(label: str, held: Mapping[str, Counter[str]], sizes: Mapping[str, int]) -> list[str]:
    def purity(gram: str) -> float:
        shares = {other: counts[gram] / sizes[other] for other, counts in held.items()}
        return shares[label] / sum(shares.values())

    pure = [gram for gram, count in held[label].items() if count >= RAREST and purity(gram) >= PURITY]
    return sorted(pure, key=lambda gram: (-held[label][gram], gram))[:CUES]


def label_of(text: str, cues: Mapping[str, Iterable[str]]) -> str | None:
    """Return the intent whose cues a text holds; None where there are none, or those of several."""
    said = grams(text)
    found = [label for label, known in cues.items() if not said.isdisjoint(known)]
    return found[0] if len(found) == 1 else None


def grams(text: str) -> set[str]:
    """Return the n-grams of a text."""
    return set(ngrams(_TOKEN.findall(text.lower().replace("\u2019", "'")), LONGEST))


def plain(text: str) -> str:
    """Return a text in the form that is compared between tables."""
    return " ".join(_TOKEN.findall(text.lower().replace("\u2019", "'")))


def _listener_turns() -> Iterable[Labelled]:
    """Yield the listener turns of the training dialogues; their labels are still to be found."""
    with closing(source.dialogues("empathetic_dialogues", "train")) as found:
        for dialogue in found:
            for position, turn in enumerate(dialogue.turns):
                if turn.role == "listener":
                    yield Labelled(turn_id(dialogue, position), turn.text, "")


def _search(cues: Mapping[str, Sequence[str]], turns: Iterable[Labelled]) -> dict[str, list[Labelled]]:
    """Return the distinct turns that the cues of one intent find."""
    sets = {label: frozenset(found) for label, found in cues.items()}
    matched: dict[str, list[Labelled]] = {label: [] for label in cues}
    seen: set[str] = set()
    for turn in turns:
        label = label_of(turn.text, sets)
        if label is not None and plain(turn.text) not in seen:
            seen.add(plain(turn.text))
            matched[label].append(Labelled(turn.id, turn.text, label))
    return matched


def _balanced(
    matched: Mapping[str, Sequence[Labelled]], seeds: Sequence[Labelled], size: int, seed: int
) -> list[Labelled]:
    random = np.random.default_rng(seed)
    by_hand = Counter(text.label for text in seeds)
    cap = even_share([len(found) + by_hand[label] for label, found in matched.items()], size)
    chosen: list[Labelled] = []
    for label, found in matched.items():
        places = random.permutation(len(found))[: max(0, cap - by_hand[label])]
        chosen += [found[place] for place in sorted(places.tolist())]
    return chosen


def even_share(available: Sequence[int], size: int) -> int:
    """Return the most that each may give so that all together give `size`, those with little giving all they have."""
    left, share = size, 0
    for rank, count in enumerate(sorted(available)):
        share = left // (len(available) - rank)
        left -= min(count, share)
    return share


def _compare(found: Sequence[Labelled]) -> list[Agreement]:
    with closing(source.texts("empathetic_intents", "lexical-train")) as texts:
        lexical = {plain(text.text): text.label for text in texts}
    automatic = auto_labels(source.folder_of("empathetic_intents"))
    rows = [(text.label, lexical.get(plain(text.text)), automatic.get(_turn(text.id))) for text in found]
    return [_agreement(label, [row for row in rows if label in ("all", row[0])]) for label in (*KINDS, "all")]


def _turn(identity: str) -> tuple[str, int]:
    dialogue, _, number = identity.rpartition("#")
    return dialogue, int(number)


def _agreement(label: str, rows: Sequence[tuple[str, str | None, str | None]]) -> Agreement:
    def share(place: int) -> float | None:
        judged = [row[0] == row[place] for row in rows if row[place] is not None]
        return sum(judged) / len(judged) if judged else None

    return Agreement(label, len(rows), share(1), share(2))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def store(texts: Sequence[Labelled]) -> Path:
    """Write labelled turns as the corpus `expanded_intents` into the cache."""
    place = cache_folder() / "data" / "expanded_intents"
    with whole_folder(place) as draft, (draft / "train.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label", "utterance"])
        writer.writerows((text.id, text.label, text.text) for text in texts)
    return place
