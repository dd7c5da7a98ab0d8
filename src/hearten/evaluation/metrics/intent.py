"""Intent prediction: the emotion or intent of the reply to come, among 41, against the gold reply's own label."""

from collections.abc import Sequence

from hearten.dialogue import Example
from hearten.evaluation.labels import classification
from hearten.evaluation.metric import Metric, NotMeasurable
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Measurement
from hearten.taxonomy import LABELS


class Intent(Metric):
    """Accuracy, and weighted and macro precision, recall and F1."""

    title = "Prediction of the reply's emotion or intent among 41"
    needs = "plans intent"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        truths = [example.reply.label for example in gold]
        if not any(truths):
            raise NotMeasurable("the gold replies carry no emotion or intent label")
        guesses = [prediction.intent for prediction in predictions]
        return [classification("intent", guesses, truths, LABELS, input="context-so-far")]


PLUGIN = Intent()
