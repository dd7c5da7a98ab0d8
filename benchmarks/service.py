"""The stress test of CAiRE (Lin et al. 2020, section 5) against the chat service.

    python benchmarks/service.py --system bm25:tiny --users 1 8 16 32 50 --seconds 60

Each of U users sends a message every two seconds, whether or not the last reply is there, in conversations of a few
turns whose messages and lengths are those of a corpus. A failure is any answer other than a stored reply within the
limit. Times run from the moment at which a message was due, so a server that makes people wait cannot look fast.
With `--url` a server that runs already is measured; the limits on visitors must then allow the load. With `--bare` the
first words that one user sees are compared with the first token of the engine alone on the same messages.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import get_args

import httpx
import psutil

from hearten.data.source import load_examples
from hearten.dialogue import Turn
from hearten.service.engine import Effort
from hearten.training.build import ready

TURNS = 4
"""Messages in one conversation, about as many as in EmpatheticDialogues."""
HEAD = "users  messages  failed  first p50  first p95  reply p50  reply p95  CPU s/reply     MB  full/quick/least"
COMPARED = 40
"""Messages on which the service is compared with the bare engine."""
PATIENCE = 30.0
"""Seconds after which nobody waits for a reply any more."""


@dataclass
class Tally:
    """What happened to the messages of one run."""

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def main() -> None:
    """Run the benchmark and print a table."""
    options = arguments()
    messages = said(options.corpus)
    if options.bare:
        print(compare(messages), flush=True)
    with server(options) as url:
        print(HEAD)
        for users in options.users:
            print(row(users, url, options, messages), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--system", action="append", help="As for hearten serve.")
    parser.add_argument("--users", type=int, nargs="+", default=[1, 8, 16, 32, 50])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=2.0, help="Seconds between two messages of one user.")
    parser.add_argument("--corpus", default="sample", help="Whose speakers' turns are sent, of its test split.")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--url", help="A server that runs already.")
    parser.add_argument("--bare", action="store_true", help="Compare the first words with the bare engine.")
    return parser.parse_args()


def said(corpus: str) -> list[str]:
    """Return what the speakers of a corpus say."""
    return [example.context[-1].text for example in load_examples(corpus, "test") if example.context[-1].text.strip()]


@contextmanager
def server(options: argparse.Namespace) -> Iterator[str]:
    """Start a server of our own, unless one is given."""
    if options.url:
        yield options.url.rstrip("/")
        return
    systems = [part for name in options.system or ["listener"] for part in ("--system", name)]
    sizes = ["--workers", str(options.workers), "--together", str(options.together)]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hearten", "serve", "--port", "0", "--data-folder", folder, *sizes, *systems]
        environment = {**os.environ, "HEARTEN_TURNS_PER_MINUTE": "1000"}
        began = time.perf_counter()
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            yield address(process)
        finally:
            print(f"(the server ran for {time.perf_counter() - began:.0f} s)")
            process.terminate()
            process.communicate()


def address(process: "subprocess.Popen[str]") -> str:
    """Wait for the line that says where the server is, and keep its pipe from filling up."""
    assert process.stderr is not None
    began = time.perf_counter()
    for line in process.stderr:
        if found := re.match(r"(http://\S+)/$", line):
            print(f"ready after {time.perf_counter() - began:.1f} s")
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[1]
        print(line, end="", file=sys.stderr)
    raise SystemExit("the server did not start")


def row(users: int, url: str, options: argparse.Namespace, messages: Sequence[str]) -> str:
    """Run with so many users and return a line of the table."""
    before, replies = cpu_seconds(), efforts(url)
    tally = asyncio.run(crowd(users, url, options.seconds, options.every, messages))
    used = cpu_seconds() - before
    made = "/".join(str(count - replies[effort]) for effort, count in efforts(url).items())
    sent = len(tally.whole) + len(tally.failures)
    times = [quantile(values, q) for values in (tally.first, tally.whole) for q in (0.5, 0.95)]
    shown = "  ".join(f"{value:>9.3f}" for value in times)
    cost = f"{used / max(1, len(tally.whole)):>11.3f}  {memory():>5.0f}  {made}"
    line = f"{users:>5}  {sent:>8}  {len(tally.failures):>6}  {shown}  {cost}"
    kinds = ", ".join(f"{kind} x{tally.failures.count(kind)}" for kind in sorted(set(tally.failures)))
    return f"{line}   {kinds}"


def efforts(url: str) -> dict[str, int]:
    """Return how many replies the server made with how much work, so far."""
    told = httpx.get(f"{url}/metrics").text
    found = {
        name: re.search(rf'hearten_efforts_total{{effort="{name}"}} ([0-9.e+]+)', told) for name in get_args(Effort)
    }
    return {name: int(float(match[1])) if match else 0 for name, match in found.items()}


def cpu_seconds() -> float:
    """Return the processor time that our child processes (the server and its workers) have used so far."""
    return over_children(lambda child: sum(child.cpu_times()[:2]))


def memory() -> float:
    """Return the megabytes that they hold, shared ones counted once for each."""
    return over_children(lambda child: child.memory_info().rss) / 1e6


def over_children(measure: Callable[[psutil.Process], float]) -> float:
    """Add something up over our child processes."""
    total = 0.0
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += measure(child)
    return total


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile; there is none of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def crowd(users: int, url: str, seconds: float, every: float, messages: Sequence[str]) -> Tally:
    """Let users talk; they begin spread over one interval, as people do not press keys in step."""
    tally = Tally()
    begin = time.perf_counter() + 1.0
    tasks = [
        user(url, begin + number * every / users, seconds, every, messages[number::users] or messages, tally)
        for number in range(users)
    ]
    await asyncio.gather(*tasks)
    return tally


async def user(url: str, begin: float, seconds: float, every: float, messages: Sequence[str], tally: Tally) -> None:
    """Send messages when they are due."""
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits) as client:
        await client.get("/api/session")
        sending: list[asyncio.Task[None]] = []
        conversation = ""
        for number in range(int(seconds / every)):
            due = begin + number * every
            if number % TURNS == 0:
                conversation = (await client.post("/api/conversations", json={})).json()["id"]
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            text = messages[number % len(messages)]
            sending.append(asyncio.create_task(message(client, conversation, text, f"m{number}", due, tally)))
        await asyncio.gather(*sending)


async def message(client: httpx.AsyncClient, conversation: str, text: str, key: str, due: float, tally: Tally) -> None:
    """Send one message and note how it went."""
    body = {"text": text, "key": key}
    first: float | None = None
    try:
        async with client.stream("POST", f"/api/conversations/{conversation}/turns", json=body) as response:
            if response.status_code != 200:
                tally.failures.append(str(response.status_code))
                return
            event = ""
            async for line in response.aiter_lines():
                event = line.removeprefix("event: ") if line.startswith("event: ") else event
                if not line.startswith("data: "):
                    continue
                if event in ("piece", "reply") and first is None:
                    first = time.perf_counter() - due
                if event == "reply":
                    assert json.loads(line.removeprefix("data: "))["turn"]["text"] and first is not None
                    tally.first.append(first)
                    tally.whole.append(time.perf_counter() - due)
                    return
        tally.failures.append(event)
    except httpx.HTTPError as error:
        tally.failures.append(type(error).__name__)


def first_words(url: str, text: str) -> float:
    """Return how long a new visitor waits for the first words of a reply."""
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        client.get("/api/session")
        conversation = client.post("/api/conversations", json={}).json()["id"]
        began = time.perf_counter()
        body = {"text": text, "key": "once"}
        with client.stream("POST", f"/api/conversations/{conversation}/turns", json=body) as response:
            lines = response.iter_lines()
            next(line for line in lines if line == "event: piece")
            seconds = time.perf_counter() - began
            list(lines)  # the whole reply, so that the next visitor finds an idle server
    return seconds


def compare(messages: Sequence[str]) -> str:
    """Measure when one user sees the first words of a draft that is shown as it is written, and when the bare engine
    has its first token for the same prompt; in turns, each message new to both."""
    wanted = ["listener:direct"]
    agent = ready("listener", "direct")[0].agent  # type: ignore[attr-defined]
    alone, through = [], []
    with server(argparse.Namespace(url=None, system=wanted, workers=1, together=1)) as url:
        for number, text in enumerate(messages[:COMPARED]):
            through.append(first_words(url, text))
            began = time.perf_counter()
            next(agent.parts.generator.stream((Turn("speaker", text),), None, agent.manner.decoding, number))
            alone.append(time.perf_counter() - began)
    one, other = statistics.median(alone), statistics.median(through)
    return f"first token alone {1000 * one:.0f} ms, words in the service {1000 * other:.0f} ms, ratio {other / one:.2f}"


if __name__ == "__main__":
    main()
