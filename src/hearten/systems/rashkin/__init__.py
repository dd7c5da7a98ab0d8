"""Choosing a reply by the dot product of two encoders."""

from hearten.systems.rashkin.model import Rashkin

PLUGIN = Rashkin
