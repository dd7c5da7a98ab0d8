"""The corpus that ships with hearten: 384 short dialogues, twelve for each emotion, written for this project.

Laid out like EmpatheticDialogues, with the way each listener turn responds in `intents.csv`. Made for trying things out
and for tests; too small for results.
"""

from hearten.data.corpora.empathetic_dialogues import EmpatheticDialogues


class Sample(EmpatheticDialogues):
    """A small corpus that is always there."""

    title = "hearten sample dialogues"
    licence = "Apache-2.0 (part of hearten)"
    citation = "The hearten project: sample dialogues."
    archive = None
    labelled_by = None
    advice = "It is part of the package; if it is missing, install hearten again."


PLUGIN = Sample()
