"""What a corpus looks like: counts, lengths, labels and typical words. Plain numbers; `plots` draws them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from hearten.data import source
from hearten.data.corpus import DialogueCorpus, Problems
from hearten.data.words import top_words
from hearten.dialogue import Dialogue, Labelled


@dataclass(frozen=True, slots=True)
class SplitStatistics:
    """The figures of one split. In a corpus of labelled texts each text is one item with one utterance."""

    items: int
    utterances: int
    replies: int
    """Listener turns that have a context: the examples of the split."""
    words: int
    labels: dict[str, int]
    """How many items carry each label, most frequent first."""
    turn_labels: dict[str, int]
    """How many turns carry each label, most frequent first."""
    lengths: dict[int, int]
    """How many utterances have so many words."""

    @property
    def utterances_per_item(self) -> float:
        """Return the mean number of turns in a dialogue."""
        return self.utterances / self.items if self.items else 0.0

    @property
    def words_per_utterance(self) -> float:
        """Return the mean number of words, separated by blanks, in an utterance."""
        return self.words / self.utterances if self.utterances else 0.0


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The figures of a corpus."""

    name: str
    unit: Literal["conversations", "texts"]
    splits: dict[str, SplitStatistics]
    top_words: dict[str, list[str]]
    """Words typical of each emotion in the situations (or of each label in the texts) of the first split."""

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain JSON values, the means included."""
        table = asdict(self)
        for split, figures in self.splits.items():
            table["splits"][split]["utterances_per_item"] = round(figures.utterances_per_item, 3)
            table["splits"][split]["words_per_utterance"] = round(figures.words_per_utterance, 3)
        return table

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the counts for printing."""
        header = ["split", self.unit, "utterances", "listener replies", "utterances each", "words each", "labels"]
        rows = [
            [
                split,
                f"{figures.items:,}",
                f"{figures.utterances:,}",
                f"{figures.replies:,}",
                f"{figures.utterances_per_item:.2f}",
                f"{figures.words_per_utterance:.1f}",
                str(len(figures.labels or figures.turn_labels)),
            ]
            for split, figures in self.splits.items()
        ]
        return header, rows


def corpus_statistics(name: str, problems: Problems) -> CorpusStatistics:
    """Read all splits of a corpus and count."""
    holds_dialogues = isinstance(source.corpus(name), DialogueCorpus)
    read = _of_dialogues if holds_dialogues else _of_texts
    splits: dict[str, SplitStatistics] = {}
    described: list[tuple[str, str]] = []
    for split in source.corpus(name).files(source.folder_of(name)):
        splits[split], labelled = read(name, split, problems)
        described = described or labelled
    return CorpusStatistics(name, "conversations" if holds_dialogues else "texts", splits, top_words(described))


Read = tuple[SplitStatistics, list[tuple[str, str]]]


def _of_dialogues(name: str, split: str, problems: Problems) -> Read:
    found = list(source.dialogues(name, split, problems=problems))
    described = [(d.emotion, d.situation) for d in found if d.emotion and d.situation]
    return count_dialogues(found), described


def _of_texts(name: str, split: str, problems: Problems) -> Read:
    found = list(source.texts(name, split, problems=problems))
    return count_texts(found), [(item.label, item.text) for item in found]


def count_dialogues(dialogues: Iterable[Dialogue]) -> SplitStatistics:
    """Count what is in some dialogues."""
    items = replies = 0
    labels: Counter[str] = Counter()
    turn_labels: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    for dialogue in dialogues:
        items += 1
        replies += sum(turn.role == "listener" for turn in dialogue.turns[1:])
        labels.update([dialogue.emotion] if dialogue.emotion else [])
        turn_labels.update(turn.label for turn in dialogue.turns if turn.label)
        lengths.update(len(turn.text.split()) for turn in dialogue.turns)
    return _figures(items, replies, labels, turn_labels, lengths)


def count_texts(texts: Iterable[Labelled]) -> SplitStatistics:
    """Count what is in some labelled texts."""
    found = list(texts)
    labels = Counter(item.label for item in found)
    lengths = Counter(len(item.text.split()) for item in found)
    return _figures(len(found), 0, labels, Counter(), lengths)


def _figures(
    items: int, replies: int, labels: Counter[str], turn_labels: Counter[str], lengths: Counter[int]
) -> SplitStatistics:
    return SplitStatistics(
        items=items,
        utterances=lengths.total(),
        replies=replies,
        words=sum(length * count for length, count in lengths.items()),
        labels=dict(labels.most_common()),
        turn_labels=dict(turn_labels.most_common()),
        lengths=dict(sorted(lengths.items())),
    )
