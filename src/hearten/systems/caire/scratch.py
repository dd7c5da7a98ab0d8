"""A small language model of our own: a byte-pair vocabulary from the examples, and random weights."""

from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from hearten.systems.caire.settings import Scratch

WIDENING = 4
"""Of the feed-forward layers, as GPT and GPT-2 have it."""


def learn_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Learn byte-level byte pairs."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def new_model(settings: Scratch, vocabulary: int, seed: int) -> PreTrainedModel:
    """Make a language model whose input and output embeddings are one."""
    llama = {"intermediate_size": WIDENING * settings.hidden, "num_key_value_heads": settings.heads}
    architecture = AutoConfig.for_model(
        settings.architecture,
        vocab_size=vocabulary,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=settings.positions,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
        **(llama if settings.architecture == "llama" else {}),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: PreTrainedModel = AutoModelForCausalLM.from_config(architecture)
    return model.eval()
