"""A small encoder of our own: a WordPiece vocabulary from the examples, and a BERT with random weights."""

from collections import Counter
from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedModel

from hearten.systems.reader.settings import Scratch

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def learn_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Take the most frequent words of lower-cased text, and single characters to spell the others with.

    Tokenizers' own trainer for word pieces breaks ties by chance, so that the same seed would give another system.
    """
    normaliser, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    pieces = (splitter.pre_tokenize_str(normaliser.normalize_str(text)) for text in texts)
    counted = Counter(word for found in pieces for word, _ in found)
    characters = sorted({character for word in counted for character in word})
    by_frequency = sorted(counted, key=lambda word: (-counted[word], word))
    entries = dict.fromkeys([*SPECIAL, *characters, *(f"##{one}" for one in characters), *by_frequency])
    kept = {entry: number for number, entry in enumerate(list(entries)[:vocabulary])}
    tokenizer = Tokenizer(models.WordPiece(kept, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normaliser, splitter
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def new_model(settings: Scratch, vocabulary: int, max_tokens: int, seed: int) -> PreTrainedModel:
    """Make a BERT without a pooling layer."""
    architecture = BertConfig(
        vocab_size=vocabulary,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.feed_forward,
        max_position_embeddings=max_tokens,
        pad_token_id=0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BertModel(architecture, add_pooling_layer=False)
