"""The default agent: reads, plans, generates, chooses, and says why."""

from hearten.systems.listener.model import Listener

PLUGIN = Listener
