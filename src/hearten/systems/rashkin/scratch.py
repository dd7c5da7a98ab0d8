"""Encoders of our own: a byte-pair vocabulary from the examples, and BERT's layers with random weights.

The tokens may begin with fastText vectors (Bojanowski et al. 2017), as the words of the paper do; ours are learned from
the texts of the training examples, or are what a teacher makes of each token. The two encoders go their own ways from
them.
"""

from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, PreTrainedModel

from hearten.errors import UserError
from hearten.system import Array
from hearten.systems.rashkin import fast_text
from hearten.systems.rashkin.settings import Scratch

PADDING, OPENING, CLOSING = "[PAD]", "[CLS]", "[SEP]"
POSITIONS = 512
UNKNOWN = 0.02
"""Standard deviation of the vector of a token that no text holds."""


def learn_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Learn byte pairs of lower-cased words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PADDING, OPENING, CLOSING],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    numbers = [(token, tokenizer.token_to_id(token)) for token in (OPENING, CLOSING)]
    tokenizer.post_processor = processors.TemplateProcessing(f"{OPENING} $A {CLOSING}", None, numbers)
    return tokenizer


def new_encoders(
    settings: Scratch, tokenizer: Tokenizer, dropout: float, count: int, seed: int
) -> list[PreTrainedModel]:
    """Make so many transformers, each with weights of its own."""
    architecture = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.feed_forward,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        max_position_embeddings=POSITIONS,
        pad_token_id=tokenizer.token_to_id(PADDING),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return [BertModel(architecture, add_pooling_layer=False) for _ in range(count)]


def learn_vectors(texts: Iterable[str], tokenizer: Tokenizer, settings: Scratch, seed: int) -> torch.Tensor:
    """Learn which tokens are near each other; one that no text holds gets a small random vector. (tokens, hidden)"""
    once = list(dict.fromkeys(texts))
    lines = [" ".join(map(str, each.ids)) for each in tokenizer.encode_batch_fast(once, add_special_tokens=False)]
    options = {"dim": settings.hidden, "epoch": settings.vector_epochs, "minCount": 1, "minn": 0, "maxn": 0}
    model = fast_text.learn("unsupervised", lines, seed, **options)
    random = torch.Generator().manual_seed(seed)
    vectors = torch.randn(tokenizer.get_vocab_size(), settings.hidden, generator=random) * UNKNOWN
    rows = {
        int(word): row for row, word in enumerate(model.get_words()) if word.isdigit()
    }  # one word is the line's end
    vectors[list(rows)] = torch.tensor(model.get_input_matrix())[list(rows.values())]
    return vectors


def cut(vectors: Array, hidden: int) -> torch.Tensor:
    """Return vectors in the `hidden` directions in which they differ most. (tokens, hidden)"""
    if vectors.shape[1] < hidden:
        raise UserError(f"the teacher's vectors have {vectors.shape[1]} numbers; set system.scratch.hidden to no more")
    centred = torch.from_numpy(vectors - vectors.mean(axis=0)).float()
    directions: torch.Tensor = torch.linalg.eigh(centred.T @ centred).eigenvectors.flip(1)  # the widest first
    return centred @ directions[:, :hidden]


@torch.no_grad()
def begin_with(vectors: torch.Tensor, encoders: Iterable[PreTrainedModel]) -> None:
    """Give all encoders the same vectors of tokens."""
    for encoder in encoders:
        encoder.get_input_embeddings().weight.copy_(vectors)
