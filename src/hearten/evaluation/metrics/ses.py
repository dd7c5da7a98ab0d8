"""SES: cosine between sentence embeddings of the reply and of the gold reply (Xie and Pu 2021 use Sentence-BERT).

Ours are the token states of the named encoder, averaged and scaled to length one. Values of different encoders are not
comparable, so the signature names it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from hearten.dialogue import Example
from hearten.errors import MissingExtra
from hearten.evaluation.metric import Metric, average, replies, sign
from hearten.evaluation.records import Prediction
from hearten.evaluation.sampling import Measure, Measurement
from hearten.system import Array

ENCODER = "all-minilm-l6-v2"
LONGEST = 256
BATCH = 64
Encode = Callable[[Sequence[str]], Array]


class SentenceSimilarity(Metric):
    """Closeness in meaning to the gold reply. `encode` gives unit vectors of shape (texts, dimensions)."""

    title = "SES: closeness in meaning to the gold reply"
    needs = "replies"

    def __init__(self, encoder: str = ENCODER, encode: Encode | None = None) -> None:
        self.encoder = encoder
        self.encode = encode

    def unready(self) -> str | None:
        if self.encode is not None or _present(self.encoder):
            return None
        return f"the sentence encoder is not on this machine; run: hearten models pull {self.encoder}"

    def measure(self, predictions: Sequence[Prediction], gold: Sequence[Example]) -> list[Measurement]:
        encode = self.encode or mean_pooling(self.encoder)
        texts = replies(predictions)
        truths = [example.reply.text for example in gold]
        different = list(dict.fromkeys([*texts, *truths]))
        vectors = dict(zip(different, encode(different), strict=True))
        cosines = np.array([vectors[text] @ vectors[truth] for text, truth in zip(texts, truths, strict=True)])
        signature = sign("ses", encoder=self.encoder, pool="mean", max_tokens=LONGEST, sim="cosine")
        return [average(Measure("SES", signature, "higher"), cosines.astype(float))]


def mean_pooling(name: str) -> Encode:
    """Return a function that embeds texts with a pretrained encoder."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("SES") from None
    from hearten.backbones import loading

    model, tokenizer = loading.encoder(name)
    model.eval()

    def encode(texts: Sequence[str]) -> Array:
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        rows: dict[int, Array] = {}
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            batch = tokenizer(
                [texts[p] for p in chosen], padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
            )
            with torch.inference_mode():
                states = model(**batch).last_hidden_state  # (texts, tokens, dimensions)
            mask = batch["attention_mask"].unsqueeze(-1)
            pooled = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1))
            rows.update(zip(chosen, pooled.numpy(), strict=True))
        return np.stack([rows[position] for position in range(len(texts))])

    return encode


def _present(encoder: str) -> bool:
    from hearten.backbones import fetch, manifest

    return manifest.read(fetch.location(encoder)) is not None


PLUGIN = SentenceSimilarity()
