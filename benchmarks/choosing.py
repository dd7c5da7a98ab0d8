"""Which weights choose the best of the listener's candidates: candidates are made once, then chosen again and again.

    python benchmarks/choosing.py --limit 300 --candidates 8 --plans 3 --out runs/choosing.json

Measured on the validation split of EmpatheticDialogues (HEARTEN_DATA). For each set of weights: SES of what is chosen,
AVG BLEU, D2, the share of the 20 most frequent replies. `random` is what any of them gives on average,
`oracle` the one closest to the gold reply: the room there is.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hearten.data.source import load_examples
from hearten.decoding import Decoding
from hearten.evaluation.metrics import bleu, distinct, genericness
from hearten.evaluation.metrics.ses import ENCODER, mean_pooling
from hearten.evaluation.records import Prediction
from hearten.listener.agent import Agent
from hearten.listener.choosing import total
from hearten.listener.load import Choice, parts
from hearten.listener.manner import Manner, Weights

TOGETHER = 8
GRID = {
    "fit": (1.0,),
    "agreement": (0.0, 0.25, 0.5, 0.75, 1.0),
    "likelihood": (0.0, 1.0, 2.0, 3.0, 4.0, 6.0),
    "genericness": (0.0, 0.5, 1.0),
    "plan": (0.0, 0.3, 1.0),
    "flaws": (0.0, 25.0),
}


def main() -> None:
    """Make candidates, or read those made before, and print a table."""
    options = arguments()
    if not options.out.exists():
        options.out.write_text(json.dumps(made(options)), encoding="utf-8")
    rows = json.loads(options.out.read_text(encoding="utf-8"))
    examples = chosen_examples(len(rows))
    encode = mean_pooling(ENCODER)
    gold = encode([example.reply.text for example in examples])
    for row, vector in zip(rows, gold, strict=True):
        row["closeness"] = (encode([one["text"] for one in row["candidates"]]) @ vector).tolist()
    print(f"{'':<44} {'SES':>6} {'BLEU':>6} {'D2':>6} {'top20':>6}")
    random = np.mean([np.mean(row["closeness"]) for row in rows])
    print(f"{'random':<44} {random:6.3f}")
    show("oracle", rows, examples, lambda row: int(np.argmax(row["closeness"])))
    known = {name for row in rows for one in row["candidates"] for name in one["scores"]}
    names = [name for name in GRID if name in known]
    lines = []
    for values in product(*(GRID[name] for name in names)):
        weights = dict(zip(names, values, strict=True))
        lines.append(measured(rows, examples, by(weights)) | {"weights": weights})
    for line in sorted(lines, key=lambda line: -line["SES"])[: options.top]:
        told = " ".join(f"{name} {value:g}" for name, value in line["weights"].items())
        print(f"{told:<44} {line['SES']:6.3f} {line['BLEU']:6.2f} {line['D2']:6.2f} {line['top20']:6.2f}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--generator", default="shipped", help="As in the settings of the listener.")
    parser.add_argument("--reader", default="shipped")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--candidates", type=int, default=8)
    parser.add_argument("--plans", type=int, default=0)
    parser.add_argument("--decoding", default="nucleus")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--genericness", action="store_true", help="Also score candidates given nothing.")
    parser.add_argument("--top", type=int, default=12)
    parser.add_argument("--out", type=Path, required=True, help="Where candidates are kept.")
    return parser.parse_args()


def chosen_examples(count: int) -> Any:
    """Return so many listener turns, spread over the validation split."""
    every = load_examples("empathetic_dialogues", "valid")
    return every[:: len(every) // count][:count]


def made(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Let the agent write and score candidates."""
    manner = Manner(
        plans=options.plans,
        candidates=options.candidates,
        decoding=Decoding.parse(options.decoding),
        weights=Weights(genericness=1.0 if options.genericness else 0.0),
    )
    choice = Choice(generator=options.generator, reader=options.reader, threads=options.threads)
    agent = Agent(parts(choice, manner), manner)
    examples = chosen_examples(options.limit)
    rows = []
    for start in range(0, len(examples), TOGETHER):
        for answer in agent.answer_many([example.context for example in examples[start : start + TOGETHER]]):
            said = [one for one in answer.candidates if one.objection is None]
            kept = [{"text": one.text, "scores": dict(one.scores)} for one in said]
            rows.append({"candidates": kept or [{"text": answer.text, "scores": {}}]})
        print(f"{len(rows)} of {len(examples)}", flush=True)
    return rows


def by(weights: dict[str, float]) -> Callable[[dict[str, Any]], int]:
    """Return a way to choose."""

    def choose(row: dict[str, Any]) -> int:
        totals = [total(one["scores"], Weights(**{**dict.fromkeys(GRID, 0.0), **weights})) for one in row["candidates"]]
        return int(np.argmax(totals))

    return choose


def show(name: str, rows: Sequence[dict[str, Any]], examples: Any, choose: Callable[[dict[str, Any]], int]) -> None:
    found = measured(rows, examples, choose)
    print(f"{name:<44} {found['SES']:6.3f} {found['BLEU']:6.2f} {found['D2']:6.2f} {found['top20']:6.2f}")


def measured(rows: Sequence[dict[str, Any]], examples: Any, choose: Callable[[dict[str, Any]], int]) -> dict[str, Any]:
    """Return the scores of what is chosen."""
    places = [choose(row) for row in rows]
    texts = [row["candidates"][place]["text"] for row, place in zip(rows, places, strict=True)]
    predictions = [Prediction(example.id, reply=text) for example, text in zip(examples, texts, strict=True)]
    found = {}
    for metric in (bleu.PLUGIN, distinct.PLUGIN, genericness.PLUGIN):
        for one in metric.measure(predictions, examples):
            found |= {measure.name: float(value) for measure, value in zip(one.measures, one.values(), strict=True)}
    ses = np.mean([row["closeness"][place] for row, place in zip(rows, places, strict=True)])
    return {"SES": float(ses), "BLEU": found["AVG BLEU"], "D2": found["distinct-2"], "top20": found["top-20 share"]}


if __name__ == "__main__":
    main()
