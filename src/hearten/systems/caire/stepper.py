"""Stepping CAiRE's language model: prompts are read once, for the first token of the reply and for the emotion."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from hearten.nn.decoding.causal import CausalStepper


class CachedStepper(CausalStepper):
    """Keeps the state after each prompt besides."""

    def __init__(self, causal_lm: Any) -> None:
        super().__init__(causal_lm)
        self.prompt_states = torch.empty(0)

    def start(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        """Read prompts and return the logits after each."""
        with _overheard(self._model.get_decoder()) as heard:
            logits = super().start(prompts)
        self.prompt_states = heard[0][:, -1]  # (prompts, hidden)
        return logits


class RereadingStepper:
    """For language models that keep no keys and values, such as GPT: reads each row again with every token."""

    def __init__(self, causal_lm: Any) -> None:
        self._model = causal_lm
        self._rows: list[list[int]] = []
        self.prompt_states = torch.empty(0)

    def start(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        """Read prompts and return the logits after each."""
        self._rows = [list(prompt) for prompt in prompts]
        self.prompt_states = self._read()
        return self._logits(self.prompt_states)

    def step(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Continue rows with a token each and return the logits after it."""
        pairs = zip(rows.tolist(), tokens.tolist(), strict=True)
        self._rows = [[*self._rows[row], token] for row, token in pairs]
        return self._logits(self._read())

    @torch.no_grad()
    def _read(self) -> Tensor:
        width = max(len(row) for row in self._rows)
        ids = torch.tensor([row + [0] * (width - len(row)) for row in self._rows], device=self._model.device)
        last = torch.tensor([len(row) - 1 for row in self._rows], device=self._model.device)
        hidden = self._model.get_decoder()(input_ids=ids).last_hidden_state
        states: Tensor = hidden[torch.arange(len(ids), device=ids.device), last]
        return states  # (rows, hidden)

    @torch.no_grad()
    def _logits(self, states: Tensor) -> Tensor:
        logits: Tensor = self._model.get_output_embeddings()(states)
        return logits  # (rows, vocabulary)


def stepper(causal_lm: Any) -> CachedStepper | RereadingStepper:
    """Return the fastest stepper that a language model can be driven by."""
    has_cache = "past_key_values" in inspect.signature(causal_lm.get_decoder().forward).parameters
    return CachedStepper(causal_lm) if has_cache else RereadingStepper(causal_lm)


@contextmanager
def _overheard(decoder: Any) -> Iterator[list[Tensor]]:
    """Collect the last layer's states of what is read meanwhile."""
    heard: list[Tensor] = []
    hook = decoder.register_forward_hook(lambda module, inputs, found: heard.append(found.last_hidden_state))
    try:
        yield heard
    finally:
        hook.remove()
