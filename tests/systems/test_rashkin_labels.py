"""Labels in front of texts: predicted with numpy as fastText predicts them, placed as the paper places them."""

import json
from pathlib import Path

import numpy as np
import pytest

from hearten.artifacts import folder
from hearten.data.source import load_examples
from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.retrieval.labels import Labeller
from hearten.systems.rashkin.labels import PREFIX, emotions, fit, fit_labeller, plain, topics
from hearten.systems.rashkin.model import Rashkin
from hearten.systems.rashkin.settings import Prepend
from hearten.training.build import build
from hearten.training.loop import train
from hearten.training.settings import recipe

SETTINGS = Prepend(labels="emotions", k=2, dimension=16, epochs=10)
PREPEND = ["system.prepend.labels=emotions", "system.prepend.k=2", "stage.0.steps=1"]
SAD = (Turn("speaker", "My grandmother died last week"),)


@pytest.fixture(scope="module")
def system() -> Rashkin:
    found, _ = build(recipe("rashkin", "tiny", PREPEND))
    assert isinstance(found, Rashkin)
    return found


@pytest.mark.parametrize(
    "text", ["I was so proud of my son, he won!", "zzzz", "", "The storm__label__sad came\nat night"]
)
def test_numpy_predicts_what_fasttext_predicts(text: str) -> None:
    labelled = emotions(load_examples("sample", "train"))
    theirs, ours = fit(SETTINGS, labelled, seed=3), fit_labeller(SETTINGS, load_examples("sample", "train"), seed=3)
    expected = theirs.f.predict(plain(text) + "\n", -1, 0.0, "strict")
    found = ours.probabilities(text)
    assert len(found) == len(expected)
    for probability, label in expected:
        assert found[label.removeprefix(PREFIX)] == pytest.approx(probability, abs=2e-5)
    assert ours.front(text, 1) == [expected[0][1].removeprefix(PREFIX)]


def test_the_likeliest_label_stands_next_to_the_text() -> None:
    labeller = Labeller(["low", "high", "mid"], ["word"], np.array([[1.0]]), np.array([[0.1], [0.9], [0.5]]))
    assert labeller.front("word", 2) == ["mid", "high"]
    assert labeller.front("word", 1) == ["high"]


def test_labels_stand_in_front_of_contexts_and_candidates_and_count_for_no_limit(system: Rashkin) -> None:
    assert system.labeller is not None
    for ids, text in ((system.layout.context(SAD), SAD[0].text), (system.layout.reply("Oh no!"), "Oh no!")):
        labels = system.labeller.front(text, 2)
        before = system.tokenizer.encode(" ".join(labels), add_special_tokens=False).ids
        body = system.tokenizer.encode(text, add_special_tokens=False).ids
        assert ids[1:-1] == before + body
    long = system.layout.reply("so very sad " * 40)
    labels = system.labeller.front("so very sad " * 40, 2)
    width = len(system.tokenizer.encode(" ".join(labels), add_special_tokens=False).ids)
    assert len(long) == 1 + width + system.settings.max_reply + 1


def test_a_context_is_labelled_by_the_turns_that_are_read(system: Rashkin) -> None:
    seen = SAD * 4
    assert system.layout.context((Turn("speaker", "I won the lottery! So happy!"), *seen)) == system.layout.context(
        seen
    )


def test_replies_come_without_labels_and_survive_the_folder(tmp_path: Path) -> None:
    place = train(recipe("rashkin", "tiny", PREPEND), tmp_path / "model")
    again = folder.load(place)
    assert isinstance(again, Rashkin)
    assert again.labeller is not None
    texts = {text for _, text in json.loads((place / "candidates.json").read_text(encoding="utf-8"))}
    assert again.reply(SAD)[0].text in texts
    copy = folder.load(folder.save(again, folder.read_origin(place), tmp_path / "copy"))
    assert isinstance(copy, Rashkin)
    assert copy.layout.context(SAD) == again.layout.context(SAD)


def test_emotions_need_situations() -> None:
    with pytest.raises(UserError, match="no example has a situation"):
        fit_labeller(SETTINGS, [], seed=0)


def test_topics_are_read_from_newsgroup_posts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "twenty_newsgroups"
    place.mkdir()
    posts = [("rec.autos", "the car engine"), ("sci.space", "the moon orbit")] * 20
    rows = [{"split": "train", "label": g, "id": str(n), "subject": "", "text": t} for n, (g, t) in enumerate(posts)]
    (place / "bydate.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setenv("HEARTEN_DATA", str(tmp_path))
    assert len(topics()) == 40
    labeller = fit_labeller(SETTINGS.model_copy(update={"labels": "topics"}), [], seed=0)
    assert labeller.front("which engine has this car", 1) == ["rec autos"]
    assert labeller.front("an orbit of the moon", 2) == ["rec autos", "sci space"]
