"""plannedlm: a causal language model whose replies can be given a plan, the emotion or intent that they are to carry.

The idea is that of MEED2 (Xie and Pu, CoNLL 2021): predict how a listener would respond, then respond that way. Here
the plan is written in words at the head of the reply instead of being an embedding, so that the model stays a plain
causal language model which any engine can serve. A part of the replies is learned without a plan, so that the same
model also answers, and is scored, without one. Plans are never predicted here: they are no targets of the loss.
"""

from collections.abc import Sequence

from hearten.chatml import Sequenced
from hearten.dialogue import Example, Reply
from hearten.errors import UserError
from hearten.system import Context, LogLikelihood
from hearten.systems.plainlm.model import PlainLM
from hearten.systems.plannedlm.plans import planned
from hearten.systems.plannedlm.settings import PlannedSettings
from hearten.taxonomy import LABELS


class PlannedLM(PlainLM):
    """Continues the conversation as the listener, in the way it is asked to."""

    Config = PlannedSettings
    _settings: PlannedSettings

    def pack(self, examples: Sequence[Example]) -> list[Sequenced]:
        """Lay out examples, those of one dialogue as one sequence, a part of their replies with a plan."""
        return super().pack(planned(examples, self._settings.labeller, self._settings.planned_share))

    def reply_with(self, context: Context, intent: str, n: int = 1) -> list[Reply]:
        """Return up to `n` different replies that carry an emotion or intent, the likeliest per token first."""
        if intent not in LABELS:
            raise UserError(f"there is no emotion or intent '{intent}'; see: hearten list emotions")
        return self._best(self._layout.prompt(context, intent), n)

    def log_likelihood(self, examples: Sequence[Example]) -> list[LogLikelihood]:
        """Return the log likelihood of each whole reply and its end token, without a plan that would give it away."""
        return super().log_likelihood([example.blind() for example in examples])
