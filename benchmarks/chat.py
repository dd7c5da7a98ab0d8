"""What the agent adds to its engine, and what the engine is worth against torch: one person, new conversations.

    python benchmarks/chat.py --cores 2 --messages 20

Each message is answered by the agent as `hearten chat` answers it, once as shipped (eight drafts, of which the best is
said) and once with a single draft. What it asked its engine is then asked of a second engine of the same weights with
nothing around it, and of `generate` of transformers in fp32: the same prompt, decoding and number of drafts, whose
lengths may differ. Milliseconds a token are the whole time over all tokens of all drafts. The three take turns, so that
a machine that slows down hits all alike.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import hearten
from engines import SENTENCES
from hearten.conversation import Conversation
from hearten.decoding import Decoding
from hearten.engines.assemble import Served, serve
from hearten.engines.engine import Engine, Generated, Ids
from hearten.listener.shipped import shipped
from hearten.systems.listener.model import Listener
from hearten.systems.plainlm.origins import SHIPPED, taken_over

SAID = 3
"""Sentences in a message."""


@dataclass
class Asked:
    """What the agent asked its engine for, and how many tokens came back."""

    prompts: Sequence[Ids]
    decoding: Decoding
    n: int
    seed: int
    tokens: int


class Recorder:
    """An engine that notes what it is asked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.last: Asked | None = None

    def generate(self, prompts: Sequence[Ids], decoding: Decoding, n: int = 1, seed: int = 0) -> list[list[Generated]]:
        """Pass on and note."""
        found = self._engine.generate(prompts, decoding, n, seed)
        self.last = Asked(prompts, decoding, n, seed, sum(len(one.ids) for many in found for one in many))
        return found

    def stream(self, prompt: Ids, decoding: Decoding, seed: int = 0) -> Iterator[int]:
        """Pass on and note."""
        ids = []
        for token in self._engine.stream(prompt, decoding, seed):
            ids.append(token)
            yield token
        self.last = Asked([prompt], decoding, 1, seed, len(ids))


@dataclass
class Tally:
    """Seconds and tokens of one way to answer."""

    seconds: float = 0.0
    tokens: int = 0
    replies: int = 0

    def add(self, call: Callable[[], int]) -> None:
        """Time a call that returns how many tokens it made."""
        began = time.perf_counter()
        tokens = call()
        self.seconds += time.perf_counter() - began
        self.tokens += tokens
        self.replies += 1

    @property
    def milliseconds(self) -> float:
        """Milliseconds a token."""
        return 1000 * self.seconds / self.tokens


def main() -> None:
    """Run the benchmark and print a table."""
    options = arguments()
    os.environ["OMP_NUM_THREADS"] = str(options.cores)
    torch.set_num_threads(options.cores)
    source = shipped().source
    bare = serve(source, threads=options.cores)
    model, _ = taken_over(source.backbone, SHIPPED)
    print(f"{'':<24}{'agent ms/token':>16}{'engine':>10}{'ratio':>8}{'agent s/reply':>16}{'torch':>10}{'ratio':>8}")
    for preset in ("shipped", "direct"):
        agent, engine, reference = compared(preset, options.messages, bare, model)
        slower, faster = agent.milliseconds / engine.milliseconds, per_reply(reference) / per_reply(agent)
        print(
            f"{preset:<24}{agent.milliseconds:>16.2f}{engine.milliseconds:>10.2f}{slower:>8.2f}"
            f"{per_reply(agent):>16.2f}{per_reply(reference):>10.2f}{faster:>8.2f}"
        )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="Threads that everything may use.")
    parser.add_argument("--messages", type=int, default=20)
    return parser.parse_args()


def compared(preset: str, messages: int, bare: Served, model: Any) -> tuple[Tally, Tally, Tally]:
    """Answer messages in three ways, the first one untimed."""
    system = hearten.load("listener", preset)
    assert isinstance(system, Listener)
    generator: Any = system.agent.parts.generator
    recorder = generator._engine = Recorder(generator._engine)
    agent, engine, reference = Tally(), Tally(), Tally()
    dice = random.Random(preset)
    for number in range(messages + 1):
        if number == 1:
            agent, engine, reference = Tally(), Tally(), Tally()
        print(f"{preset}: {number} of {messages}", file=sys.stderr)
        text = " ".join(dice.sample(SENTENCES, SAID))
        agent.add(lambda: answered(system, recorder, text))  # noqa: B023
        asked = recorder.last
        assert asked is not None
        engine.add(lambda: by_engine(bare.engine, asked, is_streamed=preset == "direct"))  # noqa: B023
        reference.add(lambda: by_torch(model, asked, bare.end))  # noqa: B023
    return agent, engine, reference


def answered(system: Listener, recorder: Recorder, text: str) -> int:
    for _ in Conversation(system).stream(text):
        pass
    assert recorder.last is not None
    return recorder.last.tokens


def by_engine(engine: Engine, asked: Asked, is_streamed: bool) -> int:
    if is_streamed:
        return len(list(engine.stream(asked.prompts[0], asked.decoding, asked.seed)))
    found = engine.generate(asked.prompts, asked.decoding, asked.n, asked.seed)
    return sum(len(one.ids) for many in found for one in many)


@torch.no_grad()
def by_torch(model: Any, asked: Asked, end: int) -> int:
    """Let transformers draw as many replies from the same prompt; its padding behind shorter ones does not count."""
    (prompt,) = asked.prompts
    made = model.generate(
        torch.tensor([list(prompt)]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        do_sample=True,
        top_p=asked.decoding.top_p,
        top_k=0,
        temperature=asked.decoding.temperature,
        max_new_tokens=asked.decoding.max_tokens,
        num_return_sequences=asked.n,
        eos_token_id=end,
        pad_token_id=end,
    )
    return int((made[:, len(prompt) :] != end).sum())


def per_reply(tally: Tally) -> float:
    return tally.seconds / tally.replies


if __name__ == "__main__":
    main()
