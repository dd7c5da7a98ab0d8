"""What shipping costs: perplexity of the same replies by the trained model, by base and delta, and as it is served.

    python benchmarks/precision.py runs/plannedlm --limit 200

The first replies of the test split of EmpatheticDialogues (HEARTEN_DATA), without plans, the end token counted.
"""

import argparse
import math
import time
from pathlib import Path

from hearten.chatml import Layout, Limits
from hearten.data.source import load_examples
from hearten.engines.assemble import Source, Trained, serve
from hearten.listener.generator import Generator
from hearten.listener.shipped import shipped


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path, help="The trained folder that the delta was made from.")
    parser.add_argument("--limit", type=int, default=200)
    options = parser.parse_args()
    ways: dict[str, tuple[Source | Trained, str, str]] = {
        "base, before training": (Source(shipped().backbone), "torch", "float32"),
        "trained": (Trained(options.model), "torch", "float32"),
        "base and delta": (shipped().source, "torch", "float32"),
        "as served": (shipped().source, "llamacpp", "Q8_0"),
    }
    examples = load_examples("empathetic_dialogues", "test")[: options.limit]
    for name, (source, engine, precision) in ways.items():
        began = time.perf_counter()
        served = serve(source, engine, precision)
        generator = Generator(served.engine, Layout(served.tokenizer, Limits(256, 256, planned=True)))
        found = generator.score([one.context for one in examples], [one.reply.text for one in examples])
        mean = -sum(one.nats for one in found) / sum(one.tokens for one in found)
        seconds = time.perf_counter() - began
        print(f"{name:<24} {engine:<10} {precision:<8} perplexity {math.exp(mean):7.2f}   {seconds:5.0f} s", flush=True)
        generator.close()


if __name__ == "__main__":
    main()
