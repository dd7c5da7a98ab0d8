"""Reading emotions by words: the floor under every emotion reader."""

from hearten.systems.tfidf.model import TfIdf

PLUGIN = TfIdf
