"""Retrieval by shared words: the floor under every retrieval system."""

from hearten.systems.bm25.model import Bm25

PLUGIN = Bm25
