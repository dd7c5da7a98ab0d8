"""The stages of a run, one after the other: steps, looks, checkpoints, and the best weights at the end of each."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from hearten.data.batches import Plan
from hearten.dialogue import Example
from hearten.errors import UserError
from hearten.system import Packs, Trainable
from hearten.training import optim
from hearten.training.build import build, training_examples, trains, validation_examples
from hearten.training.checkpoints import Checkpoints, State
from hearten.training.freezing import freeze
from hearten.training.interrupt import Interruption
from hearten.training.log import Log, Look, Step
from hearten.training.loop import EVENTS, LOG, Stopped, finish, open_work
from hearten.training.processes import Processes
from hearten.training.progress import Bar
from hearten.training.remembering import remembering
from hearten.training.settings import Recipe, Stage
from hearten.training.step import Learner, Losses, seed_noise


def run_stages(recipe: Recipe, place: Path, work: Path, resume: bool) -> Path:
    """Train all stages, from the newest checkpoint if there is one, and save the model."""
    processes = Processes()
    if processes.is_main:
        open_work(recipe, work, resume)
    processes.wait()
    system, origin = build(recipe)
    if not isinstance(system, Trainable):
        raise TypeError(f"{recipe.system} has collate but is not Trainable")
    with torch.random.fork_rng(devices=[]), _no_subnormals(), Interruption() as interruption:
        _run(system, recipe, work, processes, interruption)
    processes.wait()  # others may still be reading the best weights, which go when all is finished
    if processes.is_main:
        finish(system, origin, place, work)
    processes.wait()
    return place


@contextmanager
def _no_subnormals() -> Iterator[None]:
    """Take numbers next to nothing for nothing, up to ten times faster on CPUs; other code may rely on them."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def _run(system: Trainable, recipe: Recipe, work: Path, processes: Processes, interruption: Interruption) -> None:
    checkpoints = Checkpoints(work / "checkpoints")
    newest = checkpoints.newest()
    processes.wait()
    if processes.is_main:
        checkpoints.forget_after(newest)
    state = newest or State()
    processes.place(system.network)
    with ExitStack() as open_things:
        bar = open_things.enter_context(Bar(processes.is_main))
        log = Log(work / LOG, work / EVENTS, state.stage, state.step) if processes.is_main else None
        open_things.enter_context(log or nullcontext())
        desk = Desk(log, bar, checkpoints, interruption, processes)
        for index in range(state.stage, len(recipe.stages)):
            if trains(recipe.stages[index]):
                begin = state if state.stage == index else State(stage=index)
                StageRun(system, recipe.stages[index], index, recipe.seed, desk).run(begin, newest is begin)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a stage writes to and listens to."""

    log: Log | None
    """Only the main process keeps one."""
    bar: Bar
    checkpoints: Checkpoints
    interruption: Interruption
    processes: Processes

    def step(self, line: Step) -> None:
        """Report a step."""
        self.bar.step(line)
        if self.log:
            self.log.step(line)

    def look(self, line: Look) -> None:
        """Report a validation loss."""
        self.bar.look(line)
        if self.log:
            self.log.look(line)


class StageRun:
    """One stage of one run."""

    def __init__(self, system: Trainable, stage: Stage, index: int, seed: int, desk: Desk) -> None:
        self._system, self._stage, self._index, self._desk = system, stage, index, desk
        self._network = system.network
        self._learner = Learner(system, desk.processes, (seed, index), stage.precision)
        self._encoded = encode(system, training_examples(stage))
        self._held_out = encode(system, validation_examples(stage))
        if not self._encoded:
            raise UserError(f"corpus '{stage.corpus}' has no training examples for stage {index}")
        lengths = [len(one) for one in self._encoded]
        self._plan = Plan(lengths, stage.batch_tokens, stage.microbatches, (seed, index))
        self._total = stage.steps or self._plan.count(stage.epochs)

    def run(self, state: State, is_resumed: bool) -> None:
        """Take the steps that are left, and leave the network with the best weights."""
        seed_noise(*self._learner.seed)
        self._network.requires_grad_(True)
        if self._stage.frozen:
            freeze(self._network, self._stage.frozen)
        learning = self._adapt()
        self._desk.processes.place(self._network)
        self._optimiser = optim.adamw(self._network, self._stage)
        if is_resumed:
            self._desk.checkpoints.load(state, self._network, self._optimiser)
        elif self._index > 0:
            self._write(state)
        self._desk.bar.stage(f"{self._stage.corpus}, stage {self._index}", self._total, state.step)
        self._network.train()
        if not state.is_done:
            with remembering(self._network, self._stage.frozen) if self._stage.remember else nullcontext():
                self._steps(state)
        self._desk.checkpoints.load_best(state, self._network)
        self._merge(learning)
        self._network.eval()

    def _adapt(self) -> set[str]:
        """Put adapters in place if the stage asks for them, and return the weights that learned before."""
        if not self._stage.lora_rank:
            return set()
        from hearten.training import lora  # peft takes seconds to import

        return lora.inject(self._network, self._stage)

    def _merge(self, learning: set[str]) -> None:
        if self._stage.lora_rank:
            from hearten.training import lora

            lora.merge(self._network, learning)

    def _steps(self, state: State) -> None:
        for epoch, batches in islice(self._plan.steps(), state.step, self._total):
            self._step(state, epoch, batches)
            at_end = state.step == self._total
            is_best = self._look(state) if at_end or _is_due(state.step, self._stage.evaluate_every) else False
            state.is_done = at_end or 0 < self._stage.patience <= state.stale
            if state.is_done or is_best or _is_due(state.step, self._stage.checkpoint_every):
                self._write(state)
            if state.is_done:
                return

    def _step(self, state: State, epoch: int, batches: list[list[int]]) -> None:
        started = time.perf_counter()
        gathered = self._learner.gather(self._encoded, batches, state.step)
        counts, is_stopped = self._learner.counts(gathered, self._desk.interruption.asked)
        if is_stopped:
            self._stop(state)
        rate = optim.rate(self._stage, state.step, self._total)
        losses = self._learner.backward(gathered, counts, state.step)
        norm = self._update(rate)
        self._check(losses, state.step + 1)
        state.step += 1
        self._desk.step(
            Step(
                stage=self._index,
                step=state.step,
                epoch=epoch,
                loss=losses.total,
                parts=losses.parts,
                counts={part: int(count) for part, count in counts.items()},
                lr=rate,
                grad_norm=norm,
                tokens=sum(len(self._encoded[number]) for batch in batches for number in batch),
                seconds=round(time.perf_counter() - started, 4),
            )
        )

    def _update(self, rate: float) -> float:
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        weights = [weight for group in self._optimiser.param_groups for weight in group["params"]]
        norm = torch.nn.utils.clip_grad_norm_(weights, self._stage.clip)
        self._optimiser.step()
        self._optimiser.zero_grad()
        return float(norm)

    def _look(self, state: State) -> bool:
        """Look at the validation loss, and say whether it is the best so far."""
        if not self._held_out:
            return False
        losses = self._learner.judge(self._held_out, self._stage.batch_tokens)
        is_best = state.best is None or losses.total < state.best
        if is_best:
            state.best, state.best_step, state.stale = losses.total, state.step, 0
        else:
            state.stale += 1
        line = Look(self._index, state.step, losses.total, losses.parts, is_best)
        self._desk.look(line)
        return is_best

    def _write(self, state: State) -> None:
        if self._desk.processes.is_main:
            self._desk.checkpoints.write(state, self._network, self._optimiser)
        self._desk.processes.wait()

    def _stop(self, state: State) -> None:
        self._write(state)
        raise Stopped(
            f"stopped after step {state.step} of {self._total} in stage {self._index}; "
            "the same command goes on from there, with --fresh it starts over"
        )

    def _check(self, losses: Losses, step: int) -> None:
        if not math.isfinite(losses.total):
            raise UserError(
                f"the loss became {losses.total} at step {step} of stage {self._index}; "
                f"try a lower rate: --set stage.{self._index}.lr={self._stage.lr / 4:g}"
            )


def encode(system: Trainable, examples: Sequence[Example]) -> Sequence[Any]:
    """Turn examples into what the system's batches are made of."""
    return system.pack(examples) if isinstance(system, Packs) else [system.encode(example) for example in examples]


def _is_due(step: int, every: int) -> bool:
    return every > 0 and step % every == 0
