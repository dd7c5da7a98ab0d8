"""CPU engines against each other and against torch fp32, on the base model: size, speed, and what precision costs.

    HEARTEN_DATA=... python benchmarks/engines.py --cores 2

Every engine serves the same weights, written into a folder of this run. Rounds go through all engines before the next
round begins, so that a machine that slows down hits all alike, and medians are shown. CPU seconds count all threads and
are what to compare on a machine that does other things. Prompts have 120 tokens and replies 25. "Next turn" is the same
conversation some 25 tokens later, which engines that keep their state need not read again from its beginning. The eight
users have prompts of 60 to 120 tokens and are answered in one call; "8 of one" are samples, or beams where an engine
cannot sample.
Agreement is the share of greedy tokens before the first that differs from torch; perplexity is that of gold replies.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from hearten import registry
from hearten.chatml import Layout, Limits, Sequenced
from hearten.data.source import load_examples
from hearten.decoding import Decoding
from hearten.engines import assemble, gguf_files
from hearten.engines.engine import Engine, Ids, Pair, Runtime, open_engine
from hearten.engines.llama import Llama

BACKBONE = "smollm2-135m-instruct"
PROMPT, REPLY, NEW, USERS = 120, 25, 25, 8
CANDIDATES = [
    ("torch", "float32"),
    ("ctranslate2", "int8"),
    ("ctranslate2", "float32"),
    ("llamacpp", "Q8_0"),
    ("llamacpp", "F16"),
    ("llamacpp", "F32"),
]
SENTENCES = [
    "I had a long day at work and nothing went the way I had hoped.",
    "My sister called this morning to tell me that she is moving to the coast.",
    "We used to go there every summer when we were small.",
    "I do not know whether to be glad or sad about it.",
    "The doctor said that everything looks fine, which is a great relief.",
    "Nobody remembered my birthday, not even my oldest friend.",
    "I finally finished the painting that I began two years ago!",
    "It rained all afternoon, so we stayed in and played cards.",
    "Do you ever feel that time goes by too fast?",
    "The neighbours were loud again and I hardly slept.",
]
Result = TypeVar("Result")
Timing = tuple[float, float]
"""Seconds by the clock, and of the CPU."""


@dataclass
class Candidate:
    """An engine at a precision, and what was measured of it."""

    title: str
    engine: Engine
    can_sample: bool
    facts: dict[str, float] = field(default_factory=dict)
    times: dict[str, list[Timing]] = field(default_factory=lambda: defaultdict(list))


def main() -> None:
    """Run the benchmark and print tables."""
    options = arguments()
    path, _ = assemble.base_file(BACKBONE)
    model, reading = timed(lambda: gguf_files.read(path))
    print(f"reading the base: {reading[0]:.1f} s, {reading[1]:.1f} CPU s")
    with tempfile.TemporaryDirectory(prefix="hearten-engines-") as scratch:
        candidates: list[Candidate] = []
        for name, precision in chosen(options.engines):
            candidates += opened(model, name, precision, options.cores, Path(scratch))
        for number in range(options.rounds):
            for candidate in candidates:
                print(f"round {number + 1} {candidate.title}", file=sys.stderr)
                measure(candidate, model, random.Random(number))
        judge(candidates, model, options.replies, options.prompts)
        print(report(candidates))
        for candidate in candidates:
            candidate.engine.close()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="Threads that an engine may use.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--replies", type=int, default=200, help="Gold replies whose perplexity is taken.")
    parser.add_argument("--prompts", type=int, default=20, help="Prompts whose greedy replies are compared.")
    parser.add_argument("--engines", nargs="*", default=[], help="Only these, as in llamacpp:Q8_0, beside torch.")
    return parser.parse_args()


def chosen(engines: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, kind) for name, kind in CANDIDATES if not engines or name == "torch" or f"{name}:{kind}" in engines]


def opened(model: Llama, name: str, precision: str, cores: int, scratch: Path) -> list[Candidate]:
    """Write an engine's files and open them with each way of using the cores: many threads, or many workers."""
    runtime: Runtime = registry.load("engine", name)
    folder = scratch / f"{name}-{precision}"
    folder.mkdir()
    _, writing = timed(lambda: runtime.write(model, folder, precision))
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    found = []
    for workers, threads in {(1, cores), (cores, 1)} if name == "ctranslate2" else {(1, cores)}:
        engine, loading = timed(lambda: open_engine(name, folder, model.end, threads, workers))  # noqa: B023
        title = f"{name} {precision} {workers}x{threads}"
        facts = {"write CPU s": writing[1], "MB": size, "load ms": 1000 * loading[0]}
        found.append(Candidate(title, engine, "sample" in runtime.options, facts))
    return found


def timed(call: Callable[[], Result]) -> tuple[Result, Timing]:
    clock, cpu = time.perf_counter(), time.process_time()
    result = call()
    return result, (time.perf_counter() - clock, time.process_time() - cpu)


def measure(candidate: Candidate, model: Llama, dice: random.Random) -> None:
    """Time one round; its prompts are new, so that nothing computed before helps."""
    engine, times = candidate.engine, candidate.times
    prompt = made_up(model, dice)
    reply = Decoding(max_tokens=REPLY, min_tokens=REPLY)
    stream = engine.stream(prompt, reply)
    first, taken = timed(lambda: next(stream))
    times["first token"].append(taken)
    rest, taken = timed(lambda: list(stream))
    times["25 tokens"].append((taken[0] * REPLY / len(rest), taken[1] * REPLY / len(rest)))
    later = engine.stream([*prompt, first, *rest, *made_up(model, dice)[:NEW]], reply)
    _, taken = timed(lambda: next(later))
    times["next turn"].append(taken)
    later.close()  # type: ignore[attr-defined]
    users = [made_up(model, dice)[dice.randrange(PROMPT) // 2 :] for _ in range(USERS)]
    answers, taken = timed(lambda: engine.generate(users, reply))
    times["8 users"].append(taken)
    users = [[*user, *one.ids, *made_up(model, dice)[:NEW]] for user, (one,) in zip(users, answers, strict=True)]
    times["8 next turns"].append(timed(lambda: engine.generate(users, reply))[1])
    many = Decoding(max_tokens=REPLY, min_tokens=REPLY, sample=True) if candidate.can_sample else reply
    times["8 of one"].append(timed(lambda: engine.generate([users[0][::-1]], many, n=USERS))[1])


def made_up(model: Llama, dice: random.Random) -> list[int]:
    """Return 120 tokens of plain talk in an order nobody has asked before."""
    sentences = " ".join(dice.choices(SENTENCES, k=20))
    return list(model.tokenizer.encode(sentences, add_special_tokens=False).ids[:PROMPT])


def judge(candidates: Sequence[Candidate], model: Llama, replies: int, prompts: int) -> None:
    """Compare greedy replies with those of the first candidate, and take the perplexity of gold replies."""
    layout = Layout(model.tokenizer, Limits(max_context=256, max_reply=96))
    examples = load_examples("empathetic_dialogues", "valid")
    step = max(1, len(examples) // replies)
    spread = [layout.example(example) for example in examples[::step][:replies]]
    pairs = [Pair(ids[: -len(gold)], gold[:-1]) for ids, gold in ((one.ids, targets(one)) for one in spread)]
    asked = [pair.prompt for pair in pairs[:prompts]]
    expected: list[Ids] = []
    for candidate in candidates:
        print(f"quality {candidate.title}", file=sys.stderr)
        made = [one.ids for (one,) in candidate.engine.generate(asked, Decoding(max_tokens=REPLY))]
        expected = expected or made
        agreed = [prefix(ours, theirs) for ours, theirs in zip(made, expected, strict=True)]
        candidate.facts["agreement"] = sum(agreed) / sum(len(ids) for ids in expected)
        found, taken = timed(lambda: candidate.engine.score(pairs))  # noqa: B023
        tokens = sum(one.tokens for one in found)
        candidate.facts["perplexity"] = float(np.exp(-sum(one.nats for one in found) / tokens))
        candidate.facts["score CPU ms"] = 1000 * taken[1] / len(pairs)


def targets(one: Sequenced) -> list[int]:
    return [token for token, is_target in zip(one.ids, one.is_target, strict=True) if is_target]


def prefix(ours: Ids, theirs: Ids) -> int:
    """Return how many tokens agree before the first that does not."""
    differing = [place for place, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]]
    return differing[0] if differing else min(len(ours), len(theirs))


def report(candidates: Sequence[Candidate]) -> str:
    """Return tables: facts, seconds by the clock and of the CPU, and how many times faster than the first."""
    lines = [row("", list(candidates[0].facts))]
    lines += [row(one.title, [f"{value:.3g}" for value in one.facts.values()]) for one in candidates]
    for kind, place in (("milliseconds", 0), ("CPU milliseconds", 1)):
        lines += ["", row(kind, list(candidates[0].times))]
        lines += [row(one.title, [f"{1000 * value:.0f}" for value in medians(one, place)]) for one in candidates]
        lines.append(row(f"times faster ({kind})", list(candidates[0].times)))
        reference = medians(candidates[0], place)
        for one in candidates[1:]:
            ratios = [first / value for first, value in zip(reference, medians(one, place), strict=True)]
            lines.append(row(one.title, [f"{ratio:.2f}" for ratio in ratios]))
    return "\n".join(lines)


def medians(candidate: Candidate, place: int) -> list[float]:
    return [statistics.median(taken[place] for taken in rounds) for rounds in candidate.times.values()]


def row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<32}" + "".join(f"{cell:>14}" for cell in cells)


if __name__ == "__main__":
    main()
