"""Our training loop against Hugging Face's `Trainer`: the same model, dialogues, optimiser and learning rate.

    HEARTEN_DATA=/path/to/data python benchmarks/training.py

Both fine-tune SmolLM2-135M on the same EmpatheticDialogues conversations, with about the same number of examples in a
step. The `Trainer` gets one padded sequence per example and computes all logits, as it does by default. Ours is
`hearten train plainlm --preset offline`: batches of similar lengths, logits for replies only, and one sequence for all
replies of a dialogue. As that sequence is shorter than its examples one by one, the fair measure of speed is **target
tokens per second**: reply tokens learned from. Real tokens per second (padding not counted) are shown too, and target
tokens per CPU second, which other programs on the machine disturb less; use one thread where there are such.

The conversations are cut in two halves which are run in the order Trainer, ours, ours, Trainer, so that a machine that
slows down or speeds up hits both alike. Each run is a process of its own; its peak resident memory is what the system
reports at its end. The mean loss per target token over the run shows that both learn the same.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CORPUS = "empathetic_dialogues"
EXAMPLES = 8
"""Examples in one step."""
RATE = 1e-4
ORDER = (("trainer", 0), ("ours", 0), ("ours", 1), ("trainer", 1))


def main() -> None:
    """Run the benchmark, or one process of it."""
    options = arguments()
    if options.worker:
        from benchmark_workers import WORKERS

        options.result.write_text(json.dumps(WORKERS[options.worker](EXAMPLES, RATE)))
        return
    print(report(measure(options.dialogues, options.threads), options))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--dialogues", type=int, default=400)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--worker", choices=["ours", "trainer"], help=argparse.SUPPRESS)
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    options: argparse.Namespace = parser.parse_args()
    return options


def measure(dialogues: int, threads: int) -> dict[str, list[dict[str, Any]]]:
    """Run both halves through both loops, each in a process of its own."""
    found: dict[str, list[dict[str, Any]]] = {"ours": [], "trainer": []}
    with tempfile.TemporaryDirectory() as folder:
        halves = cut(corpus_file(), Path(folder), dialogues)
        for name, half in ORDER:
            print(f"{name}, half {half + 1} ...", file=sys.stderr, flush=True)
            found[name].append(run(name, halves[half], threads))
    return found


def run(name: str, data: Path, threads: int) -> dict[str, Any]:
    result = data / f"{name}.json"
    command = [sys.executable, __file__, "--worker", name, "--result", str(result)]
    environment = os.environ | {"HEARTEN_DATA": str(data), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, cwd=data, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the process '{name}' failed:\n{done.stderr}")
    measured: dict[str, Any] = json.loads(result.read_text())
    print(f"  {measured}", file=sys.stderr, flush=True)
    return measured


def corpus_file() -> Path:
    """Find the training split, or say what is missing."""
    named = os.environ.get("HEARTEN_DATA")
    path = Path(named or ".") / CORPUS / "train.csv.gz"
    if named is None or not path.is_file():
        sys.exit(f"this benchmark reads {CORPUS}/train.csv.gz of the folder that HEARTEN_DATA names; it is not there")
    return path


def cut(source: Path, folder: Path, dialogues: int) -> list[Path]:
    """Write the first dialogues of the split as two corpora, every other dialogue in each."""
    with gzip.open(source, "rt", encoding="utf-8", newline="") as file:
        heading, *rows = file.read().splitlines(keepends=True)
    chosen = list(dict.fromkeys(row.partition(",")[0] for row in rows))[:dialogues]
    halves = []
    for half in range(2):
        wanted = set(chosen[half::2])
        place = folder / str(half)
        (place / CORPUS).mkdir(parents=True)
        with gzip.open(place / CORPUS / "train.csv.gz", "wt", encoding="utf-8", newline="") as file:
            file.writelines([heading, *(row for row in rows if row.partition(",")[0] in wanted)])
        halves.append(place)
    return halves


def report(found: dict[str, list[dict[str, Any]]], options: argparse.Namespace) -> str:
    """Return the table, and the same as JSON."""
    rows = {name: summary(runs) for name, runs in found.items()}
    ratios = {key: round(rows["ours"][key] / rows["trainer"][key], 3) for key in rows["ours"]}
    lines = [f"{'':32}{'Trainer':>12}{'ours':>12}{'ratio':>9}"]
    for key in rows["ours"]:
        lines.append(f"{key:32}{rows['trainer'][key]:12.2f}{rows['ours'][key]:12.2f}{ratios[key]:9.2f}")
    settings = {"dialogues": options.dialogues, "threads": options.threads, "examples_per_step": EXAMPLES}
    return "\n".join([*lines, json.dumps({"settings": settings, **rows, "ratio": ratios, "runs": found})])


def summary(runs: list[dict[str, Any]]) -> dict[str, float]:
    seconds = sum(run["seconds"] for run in runs)
    targets = sum(run["targets"] for run in runs)
    return {
        "target tokens/s": targets / seconds,
        "target tokens per CPU second": targets / sum(run["cpu_seconds"] for run in runs),
        "real tokens/s": sum(run["tokens"] for run in runs) / seconds,
        "peak memory, MB": max(run["peak_mb"] for run in runs),
        "mean loss per target token": sum(run["nats"] for run in runs) / targets,
        "target tokens": targets,
        "seconds": seconds,
        "steps": sum(run["steps"] for run in runs),
    }


if __name__ == "__main__":
    main()
