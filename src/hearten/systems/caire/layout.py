"""How a persona, a conversation and a reply become ids (section 3.3, figure 1).

    <|persona|>i like to listen. <|speaker|>I lost my dog. <|listener|>I am so sorry.<|reply end|>

The state after the separator in front of the reply is the paper's EMO, that after the reply's end its SEN. Every turn
of the listener ends like a reply, so that a history is what stood there when its replies were learned. Texts are
tokenised apart; separators inside a person's text are read as plain characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tokenizers import Tokenizer

from hearten.dialogue import Example, Role, Turn
from hearten.systems.caire.separators import separators
from hearten.systems.caire.settings import CaireSettings


@dataclass(frozen=True, slots=True)
class Row:
    """A prompt and a reply with its end."""

    ids: list[int]
    begin: int
    """Where the reply begins."""
    learned: int
    """How many tokens of it are targets; a reply that is cut does not learn where it ends."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def emotion_at(self) -> int:
        """The place of EMO."""
        return self.begin - 1

    @property
    def end_at(self) -> int:
        """The place of SEN."""
        return len(self.ids) - 1


class Layout:
    """Turns contexts and replies into ids, within the limits of the settings."""

    def __init__(self, tokenizer: Tokenizer, settings: CaireSettings) -> None:
        tokenizer.encode_special_tokens = True
        self.separators = separators(tokenizer)
        self._tokenizer, self._settings = tokenizer, settings
        self._ids = lru_cache(maxsize=100_000)(self._ids)  # type: ignore[method-assign]

    def prompt(self, context: Sequence[Turn], persona: Sequence[str] = (), role: Role = "listener") -> list[int]:
        """Return the persona (of the settings where none is given), the newest of the context, and a turn's opening."""
        opening = self._persona(persona)
        history = self._newest(context, self._settings.max_context - len(opening) - 1)
        return [*opening, *history, self.separators.of(role)]

    def row(self, prompt: Sequence[int], reply: str, is_cut: bool = True) -> Row:
        """Put a reply behind a prompt, cut to its limit unless told otherwise."""
        words = self._ids(reply.strip())
        kept = words[: self._settings.max_reply] if is_cut else words
        learned = len(kept) + (len(kept) == len(words))
        return Row([*prompt, *kept, self.separators.end], len(prompt), learned)

    def example(self, example: Example, is_cut: bool = True) -> Row:
        """Lay out an example."""
        return self.row(self.prompt(example.context, example.persona, example.reply.role), example.reply.text, is_cut)

    def fits(self, example: Example) -> bool:
        """Say whether nothing of an example is cut off, and its reply ends as the listener's turns do."""
        window, limit = self._settings.window, self._settings.max_context
        length = len(self._persona(example.persona)) + sum(len(self._turn(turn)) for turn in example.context) + 1
        is_whole = length <= limit and (window is None or len(example.context) <= window)
        is_short = len(self._ids(example.reply.text.strip())) <= self._settings.max_reply
        return is_whole and is_short and example.reply.role == "listener"

    def text(self, ids: Sequence[int]) -> str:
        """Turn generated ids back into text."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True)).strip()

    def _persona(self, persona: Sequence[str]) -> list[int]:
        sentences = " ".join(sentence.strip() for sentence in persona or self._settings.persona)
        return [self.separators.start, *self._ids(sentences)][: self._settings.max_context // 2]

    def _newest(self, context: Sequence[Turn], room: int) -> list[int]:
        """Return the last turns that there is room for; one that is cut still shows whose it is."""
        kept: list[int] = []
        for turn in reversed(context[-self._settings.window :] if self._settings.window else context):
            ids = self._turn(turn)
            left = room - len(kept)
            if len(ids) > left:
                return [ids[0], *ids[1 - left :], *kept] if left > 1 else kept
            kept = ids + kept
        return kept

    def _turn(self, turn: Turn) -> list[int]:
        closing = [self.separators.end] if turn.role == "listener" else []
        return [self.separators.of(turn.role), *self._ids(turn.text.strip()), *closing]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)
