"""A transformers language model as a stepper: prompts padded on the left, keys and values kept in a cache."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from hearten.errors import UserError


class CausalStepper:
    """Steps a causal language model. Rows that are read together do not see each other, nor their padding."""

    def __init__(self, causal_lm: Any) -> None:
        self._model = causal_lm
        self._cache: Any = None
        self._mask = torch.empty(0, 0)

    def start(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        """Read prompts and return the logits after each."""
        if not all(prompts):
            raise UserError("a language model cannot go on from nothing; give every prompt at least one token")
        width = max(len(prompt) for prompt in prompts)
        padded = [[0] * (width - len(prompt)) + list(prompt) for prompt in prompts]
        mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        self._cache = DynamicCache(config=self._model.config)
        self._mask = torch.tensor(mask, device=self._model.device)  # (rows, length)
        return self._read(torch.tensor(padded, device=self._model.device))

    def step(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Continue rows with a token each and return the logits after it."""
        rows = rows.to(self._model.device)
        if not torch.equal(rows, torch.arange(len(self._mask), device=rows.device)):  # spares a copy of the cache
            self._cache.reorder_cache(rows)
        self._mask = torch.cat([self._mask[rows], self._mask.new_ones(len(rows), 1)], 1)
        return self._read(tokens.to(self._model.device)[:, None])

    @torch.no_grad()
    def _read(self, ids: Tensor) -> Tensor:
        positions = (self._mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        found = self._model(
            input_ids=ids,
            attention_mask=self._mask,
            position_ids=positions,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: Tensor = found.logits[:, -1].float()  # (rows, vocabulary)
        return logits
