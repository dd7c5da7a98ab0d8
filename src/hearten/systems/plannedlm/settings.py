"""What may be set of the planned language model."""

from pydantic import Field

from hearten.chatml import Limits
from hearten.systems.plainlm.settings import PlainSettings


class PlannedSettings(PlainSettings):
    """Those of the plain language model, and how plans are taught."""

    labeller: str = "shipped"
    """The exported reader that says which label a listener's turn has, where the corpus does not: `shipped`, or a
    folder made by `hearten read --export`."""
    planned_share: float = Field(default=0.5, ge=0, le=1)
    """Share of the replies that are learned with their plan in front; the others teach answering without one."""

    @property
    def limits(self) -> Limits:
        """What of a conversation is read."""
        return Limits(self.max_context, self.max_reply, self.keep, planned=True)
