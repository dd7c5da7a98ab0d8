"""One language model that replies, tells the right reply from a wrong one, and reads the speaker's emotion."""

from hearten.systems.caire.model import Caire

PLUGIN = Caire
