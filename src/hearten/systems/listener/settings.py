"""What may be set of the listener."""

from hearten.config import Settings
from hearten.listener.load import Choice
from hearten.listener.manner import Manner
from hearten.systems.bm25.model import Bm25Config


class ListenerSettings(Settings):
    """Which parts it is put together from, and how it goes about answering."""

    parts: Choice = Choice()
    manner: Manner = Manner()
    judge: str | None = None
    """A model folder made by `hearten train caire`, or unpacked: weighs replies of others in the generator's place."""
    retriever: Bm25Config | None = None
    """Looks replies up in the training examples; needed if the manner retrieves any."""
