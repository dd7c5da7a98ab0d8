"""The program itself: killed workers, killed servers, orderly ends, and mistakes told plainly."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from live_server import Program, Visitor, install_patient, wait_for

from hearten.errors import UserError
from hearten.service.server import bound

WRITER = """
import asyncio, sys
from hearten.store.events import Fact
from hearten.store.store import Store

async def main():
    store = Store(sys.argv[1])
    async def person(name):
        for number in range(10_000):
            [done] = await store.append(Fact("consent", name, body={"research": True, "number": number}))
            print(done.id, flush=True)
    await asyncio.gather(*(person(f"p{n}") for n in range(16)))

asyncio.run(main())
"""


Visit = Callable[[str], Visitor]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[list[Program]]:
    """Servers that are ended with the test."""
    programs: list[Program] = []
    yield programs
    for program in programs:
        program.close()


def test_a_worker_killed_in_mid_reply_costs_nobody_their_reply(
    tmp_path: Path, begun: list[Program], visit: Visit
) -> None:
    environment = install_patient(tmp_path)
    program = Program(tmp_path, "--system", "patient:tiny", "--workers", "2", **environment)
    begun.append(program)
    ann = visit(program.url)
    talk = ann.begin()
    with ThreadPoolExecutor(1) as threads:
        saying = threads.submit(ann.say, talk, "hello", "k")
        wait_for(lambda: len(list(tmp_path.glob("begun-*"))) == 1)
        [mark] = tmp_path.glob("begun-*")
        os.kill(int(mark.name.partition("-")[2]), signal.SIGKILL)
        wait_for(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
        (tmp_path / "go").touch()
        events = saying.result()
    assert [name for name, _ in events].count("reply") == 1
    assert [turn["text"] for turn in ann.turns(talk)] == ["hello", "You said: hello"]
    wait_for(lambda: httpx.get(f"{program.url}/readyz").json()["workers"] == 2)
    assert "hearten_worker_restarts 1.0" in httpx.get(f"{program.url}/metrics").text


def test_told_to_stop_the_server_finishes_what_it_began(tmp_path: Path, begun: list[Program], visit: Visit) -> None:
    environment = install_patient(tmp_path)
    program = Program(tmp_path, "--system", "patient:tiny", "--workers", "1", **environment)
    begun.append(program)
    ann = visit(program.url)
    talk = ann.begin()
    with ThreadPoolExecutor(1) as threads:
        saying = threads.submit(ann.say, talk, "hello", "k")
        wait_for(lambda: len(list(tmp_path.glob("begun-*"))) == 1)
        program.signal(signal.SIGTERM)
        (tmp_path / "go").touch()
        assert saying.result()[-1][0] == "reply"
    assert program.wait() in (0, -signal.SIGTERM)


def test_a_server_killed_at_any_moment_has_kept_all_that_it_acknowledged(
    tmp_path: Path, begun: list[Program], visit: Visit
) -> None:
    options = ("--system", "bm25:tiny", "--workers", "1")
    program = Program(tmp_path, *options)
    begun.append(program)
    people = [visit(program.url) for _ in range(4)]
    acknowledged: list[tuple[int, str, str]] = []
    enough = threading.Event()

    def talk(number: int) -> None:
        try:
            for turn in range(100):
                conversation = people[number].begin()
                path = f"/api/conversations/{conversation}/turns"
                with people[number].client.stream("POST", path, json={"text": f"turn {turn}", "key": "k"}) as stream:
                    next(stream.iter_lines())
                    acknowledged.append((number, conversation, f"turn {turn}"))
                    if len(acknowledged) >= 12:
                        enough.set()
        except httpx.HTTPError:
            enough.set()

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    enough.wait(60)
    workers = program.workers()
    program.signal(signal.SIGKILL)
    for thread in threads:
        thread.join()
    program.wait()
    assert len(workers) == 1
    wait_for(lambda: not any(worker.is_running() for worker in workers))
    again = Program(tmp_path, *options)
    begun.append(again)
    assert len(acknowledged) >= 12
    for number, conversation, text in acknowledged:
        people[number].client.base_url = again.url  # type: ignore[assignment]
        assert people[number].turns(conversation)[0]["text"] == text


def test_a_store_killed_in_mid_write_has_kept_all_that_it_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(5)
    for number in range(4):
        place = tmp_path / f"{number}.db"
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, f"sqlite:///{place}"], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().strip() for _ in range(chance.randrange(1, 400))]
        process.send_signal(signal.SIGKILL)
        acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
        process.stdout.close()
        process.wait()
        database = sqlite3.connect(place)
        stored = {row[0] for row in database.execute("SELECT id FROM events")}
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.close()
        assert set(acknowledged) <= stored and len(acknowledged) > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--system", "nobody"], "there is no system 'nobody'"),
        (["--engine", "openai", "--openai-url", "http://127.0.0.1:1/v1"], "does not answer as an OpenAI-compatible"),
        (["--database-url", "mysql://x"], "use sqlite or postgresql"),
        (["--review-token-file", "missing"], "cannot be read"),
        (["--config", "missing.toml"], "cannot be read"),
        (["--workers", "-1"], "workers: Input should be greater than or equal to 0"),
    ],
)
def test_mistakes_are_told_in_a_line(tmp_path: Path, options: list[str], words: str) -> None:
    command = [sys.executable, "-m", "hearten", "serve", "--port", "0", "--data-folder", str(tmp_path), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_told_in_a_line() -> None:
    with bound("127.0.0.1", 0) as place:
        place.listen()
        with pytest.raises(UserError, match=r"cannot listen on 127\.0\.0\.1 port \d+ .*choose another --port"):
            bound("127.0.0.1", place.getsockname()[1])


def test_without_the_extra_the_program_says_which_one_it_needs() -> None:
    hide = "import sys; sys.modules['fastapi'] = None; sys.argv = ['hearten', 'serve']"
    code = f"{hide}; from hearten.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "hearten[serve]" in done.stderr
