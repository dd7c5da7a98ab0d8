"""The optimiser and its learning rate: AdamW, linear warm-up, then a cosine or a constant."""

import math

import torch
from torch import nn

from hearten.training.settings import Stage


def adamw(network: nn.Module, stage: Stage) -> torch.optim.AdamW:
    """Return AdamW over the weights that learn; vectors (norms, biases) do not decay."""
    learning = [weight for weight in network.parameters() if weight.requires_grad]
    groups = [
        {"params": [weight for weight in learning if weight.ndim >= 2], "weight_decay": stage.weight_decay},
        {"params": [weight for weight in learning if weight.ndim < 2], "weight_decay": 0.0},
    ]
    fused = all(weight.device.type in ("cpu", "cuda") for weight in learning)
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=stage.lr, fused=fused)


def rate(stage: Stage, step: int, total: int) -> float:
    """Return the learning rate of a step, counted from 0."""
    if step < stage.warmup:
        return stage.lr * (step + 1) / stage.warmup
    if stage.schedule == "constant":
        return stage.lr
    progress = (step - stage.warmup) / max(1, total - stage.warmup)
    return stage.lr * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
