"""The real backbones, where they have been pulled before."""

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hearten.backbones import loading  # noqa: E402
from hearten.reader.folder import MODEL, shipped  # noqa: E402
from hearten.reader.session import Session  # noqa: E402
from hearten.systems.reader.model import EmotionReader  # noqa: E402
from hearten.training.settings import recipe  # noqa: E402

pytestmark = pytest.mark.weights

SENTENCES = [
    "I lost my job last week and I do not know what to tell my family.",
    "The sun rises in the east and sets in the west.",
    "She opened the window because the room was too warm.",
]


def test_smollm2_continues_in_sensible_english(real_weights: Callable[[str], str]) -> None:
    model, words = loading.causal_lm(real_weights("smollm2-135m-instruct"))
    prompt = words("The capital of France is", return_tensors="pt")
    continued = model.generate(**prompt, max_new_tokens=3, do_sample=False)[0]
    assert words.decode(continued).startswith("The capital of France is Paris")


def test_smollm2_finds_plain_english_likely(real_weights: Callable[[str], str]) -> None:
    model, words = loading.causal_lm(real_weights("smollm2-135m-instruct"))
    rows = [words(sentence, return_tensors="pt")["input_ids"] for sentence in SENTENCES]
    with torch.no_grad():
        losses = [model(row, labels=row).loss for row in rows]
    assert 5 < torch.exp(torch.stack(losses).mean()) < 40


def test_smollm2_ids_read_back_as_the_text(real_weights: Callable[[str], str]) -> None:
    _, words = loading.causal_lm(real_weights("smollm2-135m-instruct"))
    text = "Oh no ! I'm  so sorry :(\n\tcafé 🙂 12345"
    assert words.decode(words(text)["input_ids"]) == text


@pytest.mark.parametrize("name", ["all-minilm-l6-v2", "all-mpnet-base-v2"])
def test_sentence_encoders_put_like_beside_like(name: str, real_weights: Callable[[str], str]) -> None:
    model, words = loading.encoder(real_weights(name))
    batch = words(["I lost my job.", "I was fired yesterday.", "The cat eats fish."], padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**batch).last_hidden_state  # (sentence, token, width)
    mask = batch["attention_mask"].unsqueeze(-1)
    pooled = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)
    near, far = float(pooled[0] @ pooled[1]), float(pooled[0] @ pooled[2])
    assert near > 0.5 > 0.2 > far


def test_a_reader_goes_on_from_the_one_that_ships(real_weights: Callable[[str], str]) -> None:
    settings = recipe("reader", "fast", ["system.start=shipped"]).settings
    real_weights(settings.backbone)
    reader = EmotionReader.prepare(settings, [], seed=0)
    texts = [["I failed my exam and everybody laughed."], ["We are going to the sea tomorrow!"]]
    whole, rounded = reader.read(texts).emotion, Session(shipped() / MODEL, reader.layout).logits(texts)["emotion"]
    assert (whole - torch.from_numpy(rounded)).abs().mean() < 0.1 < 1 < whole.std()
