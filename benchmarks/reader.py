"""The exported int8 reader against the trained fp32 one in torch: the same texts, in one run.

    python benchmarks/reader.py MODEL_FOLDER EXPORTED_FOLDER --corpus empathetic_dialogues

They read the contexts of the same test examples: one after another, as a chat does, and all together in batches of like
length, as an evaluation does. The third row is the exported reader as people use it: it counts words too, and reads a
conversation a second time without the listener's turns, which the trained one does not. Rounds alternate, so that a
machine that slows down hits all alike, and the median is taken. CPU seconds are shown as well, which other programs
disturb less.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from hearten.artifacts import folder
from hearten.data.source import load_examples
from hearten.dialogue import Example
from hearten.reader.folder import MODEL
from hearten.reader.model import Reader
from hearten.system import Array, Context, ReadsEmotion
from hearten.taxonomy import EMOTIONS

ROUNDS = 5


def main() -> None:
    """Run the benchmark and print a table."""
    options = arguments()
    import torch

    torch.set_num_threads(options.threads)
    examples = load_examples(options.corpus, options.split)[: options.examples]
    trained = folder.load(options.model)
    assert isinstance(trained, ReadsEmotion)
    exported = Reader.load(options.exported, threads=options.threads)
    contexts = [example.context for example in examples]
    print(f"the exported model has {(options.exported / MODEL).stat().st_size / 1e6:.1f} MB; {ROUNDS} rounds, medians")
    for title, size in (("one after another", 1), ("all together", len(contexts))):
        parts = [contexts[start : start + size] for start in range(0, len(contexts), size)]
        calls: dict[str, Callable[[], Array]] = {
            "torch fp32": partial(read_all, trained, parts),
            "ONNX int8": partial(read_all, plain(options), parts),
            "as shipped": partial(read_all, exported, parts),
        }
        print(f"\n{title}\n{report(*measure(calls), examples)}")


def read_all(reader: ReadsEmotion, parts: Sequence[Sequence[Context]]) -> Array:
    """Read the contexts of each part together."""
    return np.concatenate([reader.emotions(part) for part in parts])


def plain(options: argparse.Namespace) -> Reader:
    """Return the exported reader with nothing beside its encoder."""
    reader = Reader.load(options.exported, threads=options.threads)
    head = replace(reader.card.heads["emotion"], alone_weight=0.0)
    return Reader(replace(reader.card, heads={"emotion": head}), reader._session, frozenset(), {})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", type=Path, help="Folder made by hearten train reader.")
    parser.add_argument("exported", type=Path, help="Folder made from it by hearten read --export.")
    parser.add_argument("--corpus", default="empathetic_dialogues")
    parser.add_argument("--split", default="test")
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def measure(calls: dict[str, Callable[[], Array]]) -> tuple[dict[str, list[tuple[float, float]]], dict[str, Array]]:
    """Return the seconds by the clock and of the CPU of each round, and what was read."""
    read = {name: call() for name, call in calls.items()}  # the first call warms up
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            clock, cpu = time.perf_counter(), time.process_time()
            call()
            times[name].append((time.perf_counter() - clock, time.process_time() - cpu))
    return times, read


def report(times: dict[str, list[tuple[float, float]]], read: dict[str, Array], examples: Sequence[Example]) -> str:
    """Return the table, the ratio of speed and the difference in accuracy."""
    lines = []
    medians: dict[str, tuple[float, float]] = {}
    for name, rounds in times.items():
        clock, cpu = (statistics.median(column) for column in zip(*rounds, strict=True))
        medians[name] = (clock, cpu)
        lines.append(
            f"{name:<12} {clock:7.2f} s  {cpu:7.2f} CPU s  {len(examples) / clock:8.1f} contexts/s  "
            f"accuracy {accuracy(read[name], examples):6.2%}"
        )
    (original, first), *others = read.items()
    for name, second in others:
        clock, cpu = (before / after for before, after in zip(medians[original], medians[name], strict=True))
        change = accuracy(second, examples) - accuracy(first, examples)
        same = (first.argmax(axis=1) == second.argmax(axis=1)).mean()
        lines.append(f"{name} against {original}: {clock:.2f} times as fast by the clock, {cpu:.2f} by CPU time;")
        lines.append(f"  accuracy changes by {100 * change:+.2f} points; both read the same in {same:.1%}")
    return "\n".join(lines)


def accuracy(probabilities: Array, examples: Sequence[Example]) -> float:
    """Return the share of examples whose emotion is the likeliest."""
    found = [EMOTIONS[place] for place in np.asarray(probabilities).argmax(axis=1)]
    return float(np.mean([guess == example.emotion for guess, example in zip(found, examples, strict=True)]))


if __name__ == "__main__":
    main()
