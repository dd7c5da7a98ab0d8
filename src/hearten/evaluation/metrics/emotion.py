"""Emotion recognition: the conversation's label among 32, from the dialogue alone, never from the situation.

Read from the context so far (one item per listener reply) and from the whole dialogue (one item per conversation).
"""

from collections.abc import Sequence

from hearten.dialogue import Example
from hearten.evaluation.labels import classification
from hearten.evaluation.metric import Metric, NotMeasurable
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Measurement
from hearten.taxonomy import EMOTIONS


class Emotion(Metric):
    """Accuracy, and weighted and macro precision, recall and F1."""

    title = "Emotion recognition among 32"
    needs = "reads emotion"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        truths = [example.emotion if example.emotion in EMOTIONS else None for example in gold]
        if not any(truths):
            raise NotMeasurable("the examples carry no emotion label")
        so_far = [prediction.emotion for prediction in predictions]
        whole = [prediction.whole_emotion for prediction in predictions]
        found: list[Measurement] = [classification("emotion", so_far, truths, EMOTIONS, input="context-so-far")]
        if any(whole):
            found.append(classification("emotion", whole, truths, EMOTIONS, input="whole-dialogue"))
        return found


PLUGIN = Emotion()
