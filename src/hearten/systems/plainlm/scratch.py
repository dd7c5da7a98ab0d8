"""A small language model of our own: a byte-pair vocabulary from the examples, and a Llama with random weights."""

from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from hearten.chatml import END, START
from hearten.systems.plainlm.settings import Scratch


def learn_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Learn byte-level byte pairs."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def new_model(settings: Scratch, vocabulary: int, seed: int) -> PreTrainedModel:
    """Make a Llama whose input and output embeddings are one."""
    architecture = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        num_key_value_heads=settings.heads,
        intermediate_size=settings.feed_forward,
        attention_dropout=settings.dropout,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(architecture)
