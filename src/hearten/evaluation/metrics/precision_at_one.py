"""P@1,100: how often the gold reply ranks first among itself and the 99 other gold replies of its chunk.

`retrieval_train.py::validate` of EmpatheticDialogues cuts the test set into consecutive chunks; Rashkin et al. 2019 say
that the others are picked at random. Both are printed. The ranking itself is done by `gather.py`, which stores credits.
"""

from collections.abc import Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.evaluation.gather import CHUNK
from hearten.evaluation.metric import Metric, NotMeasurable, ratio, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Additive, Measure, Measurement
from hearten.system import Array


class PrecisionAtOne(Metric):
    """Ranking the gold reply among 100."""

    title = "P@1,100: the gold reply ranked first among 100"
    needs = "ranks"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        if len(gold) < CHUNK:
            raise NotMeasurable(f"it ranks among {CHUNK} gold replies, and there are only {len(gold)} examples")
        credits = np.array([[np.nan if c is None else c for c in p.hits or ()] for p in predictions], dtype=float)
        shuffles = credits.shape[1] - 1
        parts = {"among": CHUNK, "rest": "dropped", "score": "raw", "ties": "shared"}
        shuffled = Measure("P@1,100", sign("p@1", **parts, order=f"shuffled-{shuffles}"), "higher")
        in_order = Measure("P@1,100 (corpus order)", sign("p@1", **parts, order="corpus"), "higher")
        found = [_share(shuffled, credits[:, 1:]), _share(in_order, credits[:, :1])]
        return [one for one in found if one.n]


def _share(measure: Measure, credits: Array) -> Additive:
    counted = ~np.isnan(credits)
    statistics = np.stack([np.nansum(credits, axis=1), counted.sum(axis=1)], axis=1)
    n = int(counted.any(axis=1).sum())
    return Additive((measure,), n, statistics, lambda sums: 100 * ratio(sums[..., :1], sums[..., 1:]))


PLUGIN = PrecisionAtOne()
