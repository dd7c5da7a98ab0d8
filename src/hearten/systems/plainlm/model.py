"""plainlm: a pretrained causal language model, fine-tuned on dialogue with nothing added.

No emotion, no intent, no knowledge: the baseline that every conditioned system has to beat. The loss is that of the
listener's tokens and the end token; with `speaker_weight` the speaker's words are learned beside them.
"""

from collections.abc import Sequence
from typing import ClassVar

from tokenizers import Tokenizer
from transformers import PreTrainedModel

from hearten.chatml import Sequenced
from hearten.dialogue import Example
from hearten.nn.reply_head import IGNORED
from hearten.system import Batch
from hearten.systems.plainlm.base import LanguageModel, padded, targets
from hearten.systems.plainlm.settings import PlainSettings


class PlainLM(LanguageModel):
    """A language model that learned to continue the conversation as the listener."""

    Config: ClassVar[type[PlainSettings]] = PlainSettings

    def __init__(self, settings: PlainSettings, causal_lm: PreTrainedModel, tokenizer: Tokenizer) -> None:
        super().__init__(settings, causal_lm, tokenizer)
        self.loss_weights = {"reply": 1.0} | ({"spoken": settings.speaker_weight} if settings.speaker_weight else {})

    def encode(self, example: Example) -> Sequenced:
        """Lay out one example."""
        return self._layout.example(example)

    def pack(self, examples: Sequence[Example]) -> list[Sequenced]:
        """Lay out examples, those that continue one another as one sequence."""
        return [self._layout.chain(chain) for chain in self._layout.chains(examples)]

    def collate(self, encoded: Sequence[Sequenced]) -> Batch:
        """Pad sequences into a batch."""
        tensors = padded(encoded, self._layout.end)
        learned = {"reply": tensors["targets"]}
        if "spoken" in self.loss_weights:
            learned["spoken"] = tensors["spoken"] = targets(encoded, [one.is_spoken for one in encoded])
        return Batch(tensors, {part: int((found != IGNORED).sum()) for part, found in learned.items()})
