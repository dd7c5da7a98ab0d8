"""A pretrained language model that can be told how to respond: the generator of `listener`."""

from hearten.systems.plannedlm.model import PlannedLM

PLUGIN = PlannedLM
