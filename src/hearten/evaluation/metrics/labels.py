"""Utterance labels: what a text by itself expresses or does, among 41, against the label it was given.

On the classifier data of EmpatheticIntents this is the task of MEED2's own classifier (Xie and Pu 2021, section 3.2).
"""

from collections.abc import Sequence

from hearten.dialogue import Example
from hearten.evaluation.labels import classification
from hearten.evaluation.metric import Metric, NotMeasurable
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Measurement
from hearten.taxonomy import LABELS


class Labels(Metric):
    """Accuracy, and weighted and macro precision, recall and F1."""

    title = "Labels of utterances among 41"
    needs = "labels utterances"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        truths = [example.reply.label if example.reply.label in LABELS else None for example in gold]
        labelled = sum(truth is not None for truth in truths)
        if not labelled:
            raise NotMeasurable("the texts carry none of the 41 labels")
        guesses = [prediction.label for prediction in predictions]
        return [classification("label", guesses, truths, LABELS, input="utterance", texts=labelled)]


PLUGIN = Labels()
