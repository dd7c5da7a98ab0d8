"""A language model that learned which of several likely replies belongs to a conversation."""

from hearten.systems.selector.model import Selector

PLUGIN = Selector
