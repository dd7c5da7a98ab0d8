"""The two processes of the training benchmark: fine-tune on the corpus of HEARTEN_DATA, and say how it went."""

import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainingArguments

from hearten.chatml import Sequenced
from hearten.data.batches import Plan
from hearten.nn.reply_head import IGNORED
from hearten.systems.plainlm.model import PlainLM
from hearten.training.build import build, training_examples
from hearten.training.log import read
from hearten.training.loop import train
from hearten.training.settings import Recipe, recipe

Measured = dict[str, float]
WEIGHT_DECAY, CLIP = 0.01, 1.0


def ours(examples: int, rate: float) -> Measured:
    """Train with hearten's loop.

    Seconds are those that the log gives for each step. CPU seconds are of the whole run, with loading, checkpoint and
    saving, which counts against us.
    """
    chosen = _recipe(rate, budget=_budget(examples, rate))
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        steps = [line for line in read(train(chosen, Path(folder) / "model") / "log.jsonl") if line["kind"] == "step"]
    return {
        "seconds": sum(line["seconds"] for line in steps),
        "cpu_seconds": time.process_time() - began,
        "tokens": sum(line["tokens"] for line in steps),
        "targets": sum(line["counts"]["reply"] for line in steps),
        "nats": sum(line["loss"] * line["counts"]["reply"] for line in steps),
        "steps": len(steps),
        "peak_mb": _peak_mb(),
    }


def trainer(examples: int, rate: float) -> Measured:
    """Train with the `Trainer`: one padded sequence per example, all logits."""
    chosen = _recipe(rate)
    system, _ = build(chosen)
    assert isinstance(system, PlainLM)
    encoded = [system.encode(example) for example in training_examples(chosen.stages[0])]
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            per_device_train_batch_size=examples,
            learning_rate=rate,
            lr_scheduler_type="cosine",
            optim="adamw_torch_fused",
            weight_decay=WEIGHT_DECAY,
            max_grad_norm=CLIP,
            logging_strategy="no",
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            remove_unused_columns=False,
            use_cpu=True,
        )
        run = _Counting(system.network.causal_lm.train(), settings, train_dataset=encoded, data_collator=_pad)
        started, began = time.perf_counter(), time.process_time()
        run.train()
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - began
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "tokens": sum(len(one.ids) for one in encoded),
        "targets": run.targets,
        "nats": run.nats,
        "steps": run.state.global_step,
        "peak_mb": _peak_mb(),
    }


class _Counting(Trainer):  # type: ignore[misc, unused-ignore]
    """Adds up the loss that the Trainer computes."""

    nats, targets = 0.0, 0

    def compute_loss(self, model: Any, inputs: Any, *rest: Any, **named: Any) -> Any:
        count = int((inputs["labels"] != IGNORED).sum())
        loss = super().compute_loss(model, inputs, *rest, **named)
        self.nats += loss.item() * count
        self.targets += count
        return loss


def _pad(encoded: Sequence[Sequenced]) -> dict[str, torch.Tensor]:
    width = max(len(one.ids) for one in encoded)
    rows = [(one, width - len(one.ids)) for one in encoded]
    labels = [[i if t else IGNORED for i, t in zip(one.ids, one.is_target, strict=True)] for one in encoded]
    return {
        "input_ids": torch.tensor([one.ids + [0] * gap for one, gap in rows]),
        "attention_mask": torch.tensor([[1] * len(one.ids) + [0] * gap for one, gap in rows]),
        "labels": torch.tensor([row + [IGNORED] * gap for row, (_, gap) in zip(labels, rows, strict=True)]),
    }


def _recipe(rate: float, budget: int = 2048) -> Recipe:
    stage = {"batch_tokens": budget, "lr": rate, "warmup": 0, "weight_decay": WEIGHT_DECAY, "clip": CLIP, "epochs": 1}
    return recipe("plainlm", "offline", [f"stage.0.{name}={value}" for name, value in stage.items()])


def _budget(examples: int, rate: float) -> int:
    """Find the budget of padded tokens that takes as many steps as batches of so many examples would."""
    chosen = _recipe(rate)
    system, _ = build(chosen)
    assert isinstance(system, PlainLM)
    found = training_examples(chosen.stages[0])
    lengths = [len(one) for one in system.pack(found)]
    wanted = -(-len(found) // examples)
    return next(b for b in range(max(lengths), 1 << 16, 8) if Plan(lengths, b, 1, (chosen.seed, 0)).count(1) <= wanted)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


WORKERS: dict[str, Callable[[int, float], Measured]] = {"ours": ours, "trainer": trainer}
