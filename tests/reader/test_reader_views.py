"""A conversation is read twice, whole and without the listener's turns; a single turn once."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hearten.dialogue import Turn
from hearten.reader.evidence import log_odds
from hearten.reader.model import Reader
from hearten.reader.views import Talk
from hearten.system import Array, normalised
from hearten.systems.reader.finishing import Opinions, _head
from hearten.systems.reader.items import Lesson
from hearten.taxonomy import EMOTIONS

TALK = (Turn("speaker", "I lost my dog."), Turn("listener", "Oh no!"), Turn("speaker", "She was so old."))


def weighing(exported: Path, weight: float) -> Reader:
    """Return the reader with another weight of the second reading, and without counted words or temperature."""
    reader = Reader.load(exported, threads=1)
    head = replace(reader.card.heads["emotion"], alone_weight=weight, counts_weight=0.0, temperature=1.0)
    reader.card = replace(reader.card, heads={**reader.card.heads, "emotion": head})
    return reader


@pytest.mark.parametrize(("turns", "said"), [("", ""), ("a", "a"), ("ab", "a"), ("abc", "ac"), ("abcd", "ac")])
def test_turns_without_names_alternate_and_the_speaker_begins(turns: str, said: str) -> None:
    assert Talk.alternating(tuple(turns)).spoken == tuple(said)


def test_turns_with_names_are_the_speakers_wherever_they_stand() -> None:
    assert Talk.of_turns([*TALK[1:], *TALK[:1]]).spoken == ("She was so old.", "I lost my dog.")


def test_both_readings_count_as_they_weigh(exported: Path) -> None:
    reader = weighing(exported, 0.5)
    texts = tuple(turn.text for turn in TALK)
    whole, alone = (reader._session.logits([one])["emotion"] for one in (texts, texts[::2]))
    np.testing.assert_allclose(reader.emotions([TALK]), normalised((whole + 0.5 * alone) / 1.5), rtol=1e-4)
    reading, _ = reader.read_and_expect(TALK)
    assert reading.probabilities[reading.label] == pytest.approx(float(reader.emotions([TALK]).max()), rel=1e-4)


@pytest.mark.parametrize(("weight", "turns", "times"), [(0.0, 3, 1), (0.5, 1, 1), (0.5, 3, 2)])
def test_it_is_read_again_only_where_there_is_a_weight_and_a_listener(
    exported: Path, monkeypatch: pytest.MonkeyPatch, weight: float, turns: int, times: int
) -> None:
    reader = weighing(exported, weight)
    asked = []
    read = reader._session.logits

    def counted(texts: Sequence[Sequence[str]]) -> dict[str, Array]:
        asked.append(texts)
        return read(texts)

    monkeypatch.setattr(reader._session, "logits", counted)
    reader.emotions([TALK[:turns]])
    assert len(asked) == times


def test_evidence_is_asked_of_both_readings(exported: Path) -> None:
    reader = weighing(exported, 1.0)
    found = {word.word: word.weight for word in reader.read([TALK], evidence=True)[0].evidence}
    label = EMOTIONS.index(reader.read([TALK])[0].label)
    cut = (replace(TALK[0], text="I lost my ."), *TALK[1:])
    with_dog, without = log_odds(np.concatenate([reader.emotions([one]) for one in (TALK, cut)])[:, label])
    assert found["dog"] == pytest.approx(with_dog - without, abs=1e-2)


def test_the_export_trusts_the_second_reading_as_far_as_it_is_right() -> None:
    chosen = [Lesson((f"text {number}",), emotion=number % 4) for number in range(80)]
    right = 2.0 * np.eye(len(EMOTIONS))[[lesson.emotion for lesson in chosen]]
    noise = np.random.default_rng(0).normal(size=right.shape)
    trusted, doubted, absent = (
        _head("emotion", Opinions(whole, alone, None), None, chosen, 96).alone_weight
        for whole, alone in ((noise, right), (right, noise), (right, None))
    )
    assert trusted == 1.0 and doubted < 0.5 and absent == 0.0


def test_labels_and_plans_are_read_once(reader: Reader) -> None:
    assert reader.card.heads["label"].alone_weight == reader.card.heads["plan"].alone_weight == 0
