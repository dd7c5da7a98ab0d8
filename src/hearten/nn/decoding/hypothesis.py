"""What decoding gives."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A reply in ids, without the end token."""

    ids: tuple[int, ...]
    nats: float
    """Log probability under the model itself, whatever the settings did to it; the end counts where it was reached."""
    score: float
    """What it was ranked by."""
    is_finished: bool
    """Whether it came to its end, not to the limit of tokens."""

    @property
    def nats_per_token(self) -> float:
        """Return the mean log probability, the end token included."""
        return self.nats / (len(self.ids) + self.is_finished)
