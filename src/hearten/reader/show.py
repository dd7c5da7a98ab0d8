"""A reading in the terminal: bars, and the words that moved it underlined."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from hearten.reader.readings import Evidence, Reading
from hearten.taxonomy import BY_NAME

WIDTH = 24
WORDS = 3
"""How many words are underlined."""


def show(console: Console, turns: Sequence[str], emotion: Reading, utterance: Reading, top: int) -> None:
    """Print the text with its evidence, the likeliest emotions, and what the last utterance does."""
    for number, turn in enumerate(turns):
        console.print(_underlined(turn, [one for one in _weighty(emotion) if one.turn == number]))
    for name, probability in list(emotion.probabilities.items())[:top]:
        console.print(_bar(name, probability))
    about = BY_NAME[utterance.label]
    line = f"utterance: {utterance.label} ({about.kind}: {about.gloss}), {utterance.probability:.0%}"
    console.print(Text(line + (f"; unsure: {utterance.unsure}" if utterance.unsure else "")))
    if emotion.unsure:
        console.print(Text(f"unsure: {emotion.unsure}", style="yellow"))
    if emotion.is_cut:
        console.print(Text("only the end of the text was read; the rest was too long", style="yellow"))


def _weighty(reading: Reading) -> list[Evidence]:
    return [one for one in reading.evidence[:WORDS] if one.weight > 0]


def _underlined(turn: str, evidence: Sequence[Evidence]) -> Text:
    shown = Text(turn)
    for one in evidence:
        shown.stylize("underline bold", one.start, one.end)
    return shown


def _bar(name: str, probability: float) -> Text:
    filled = round(WIDTH * probability)
    bar = Text(f"{name:>14} ")
    bar.append("█" * filled + "░" * (WIDTH - filled), style=BY_NAME[name].colour)
    return bar.append(f" {probability:4.0%}")
