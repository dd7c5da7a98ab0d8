"""Several encoders as one."""

from pathlib import Path

import numpy as np
import pytest

import hearten
from hearten.data.source import load_examples
from hearten.errors import UserError
from hearten.listener.shipped import ranker
from hearten.retrieval.encoder import Encoder
from hearten.retrieval.joined import Joined
from hearten.systems.joined.model import JoinedRetrieval

CONTEXTS = [example.context for example in load_examples("sample", "test")[:3]]
REPLIES = ["I'm so sorry to hear that.", "Congratulations!", "What happened then?"]


class Other:
    """An encoder with other vectors."""

    def contexts(self, contexts: object) -> np.ndarray:
        return np.eye(3, 5)

    def candidates(self, texts: object) -> np.ndarray:
        return np.eye(3, 5)[::-1]


@pytest.fixture(scope="module")
def system() -> JoinedRetrieval:
    found = hearten.load("joined", "tiny")
    assert isinstance(found, JoinedRetrieval)
    return found


def test_dot_products_are_the_weighted_sums_of_the_members() -> None:
    first, other = Encoder(ranker("shipped")), Other()
    both = Joined([first, other], [1.0, 0.25])  # type: ignore[list-item]
    own = first.affinity(CONTEXTS, REPLIES)
    assert both.affinity(CONTEXTS, REPLIES) == pytest.approx(own + 0.25 * np.eye(3)[::-1], abs=1e-5)


def test_members_count_by_their_weights(system: JoinedRetrieval) -> None:
    alone = Encoder(ranker("shipped")).affinity(CONTEXTS, REPLIES)
    assert system.affinity(CONTEXTS, REPLIES) == pytest.approx(1.5 * alone, abs=1e-5)


def test_the_nearest_candidate_of_the_pool_is_given(system: JoinedRetrieval) -> None:
    pool = [text for _, text in system.assets()["candidates.json"]]
    for context, best in zip(CONTEXTS, system.reply_many(CONTEXTS), strict=True):
        scores = system.affinity([context], pool)[0]
        # 8-bit vectors differ a little with the batch that a text is in
        assert scores[pool.index(best.text)] == pytest.approx(scores.max(), abs=0.05)
        assert scores.max() > np.median(scores) + 0.2


def test_texts_are_encoded_once(system: JoinedRetrieval, monkeypatch: pytest.MonkeyPatch) -> None:
    before = system.affinity(CONTEXTS, REPLIES)
    monkeypatch.setattr(Joined, "contexts", None)
    monkeypatch.setattr(Joined, "candidates", None)
    assert (system.affinity(CONTEXTS, REPLIES) == before).all()


def test_a_member_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="no folder runs/nowhere; an encoder is made by: hearten models export"):
        hearten.load("joined", "tiny", ["system.members.0.encoder=runs/nowhere"])


def test_it_is_stored_with_the_vectors_of_its_candidates(system: JoinedRetrieval, tmp_path: Path) -> None:
    place = hearten.train("joined", "tiny", out=tmp_path / "joined")
    again = hearten.load(str(place))
    assert isinstance(again, JoinedRetrieval)
    assert again.reply(CONTEXTS[0], 3) == system.reply(CONTEXTS[0], 3)
