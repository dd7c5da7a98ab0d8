"""A worker in a process of its own: a crash in a native library takes one reply along, not the server."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

from hearten.errors import UserError
from hearten.service.engine import Ask, Served
from hearten.service.workers.messages import ask_table, line, read_happening
from hearten.service.workers.worker import Tell

LONGEST_LINE = 2**23
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class ProcessWorker:
    """Starts `hearten.service.workers.main` and speaks with it by lines of JSON."""

    def __init__(self, systems: Sequence[str], threads: int, together: int, stop_seconds: float = 5.0) -> None:
        self._wanted = {"systems": list(systems), "threads": threads, "together": together}
        self._threads, self._stop_seconds = threads, stop_seconds
        self._process: Process | None = None
        self._listening: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process, for those who watch it."""
        return self._process.pid if self._process else None

    async def start(self, tell: Tell, died: Callable[[], None]) -> tuple[Served, ...]:
        """Start the process and wait until it has loaded."""
        # Threads that spin while another worker has the core slow everybody down; each worker gets its share only.
        environment = {**os.environ, **dict.fromkeys(ONE_THREAD, str(self._threads))}
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hearten.service.workers.main"),
            stdin=PIPE,
            stdout=PIPE,
            env=environment,
            limit=LONGEST_LINE,
        )
        self._write(self._wanted)
        assert self._process.stdout is not None
        first = await self._process.stdout.readline()
        if not first:
            raise UserError("a worker ended while it was loading; what it said is above")
        message = json.loads(first)
        if "refused" in message:
            raise UserError(message["refused"])
        self._listening = asyncio.create_task(self._listen(tell, died))
        return tuple(Served(**one) for one in message["ready"])

    def send(self, ask: Ask) -> None:
        """Write the ask to the process."""
        self._write({"ask": ask_table(ask)})

    def drop(self, ask: str) -> None:
        """Tell the process that nobody waits."""
        self._write({"drop": ask})

    def kill(self) -> None:
        """End the process at once."""
        if self._process and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)

    async def stop(self) -> None:
        """Close the input of the process, which makes it end; insist if it does not."""
        if self._listening:
            self._listening.cancel()
        if self._process is None or self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), self._stop_seconds)
        except TimeoutError:
            self.kill()
            await self._process.wait()

    def _write(self, message: dict[str, object]) -> None:
        assert self._process is not None and self._process.stdin is not None
        # A process that has just died is noticed by the end of its output; what is written to it meanwhile is lost,
        # and its asks are given to others.
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(line(message))

    async def _listen(self, tell: Tell, died: Callable[[], None]) -> None:
        assert self._process is not None and self._process.stdout is not None
        with contextlib.suppress(ValueError, ConnectionError):
            while text := await self._process.stdout.readline():
                if not text.endswith(b"\n"):
                    break  # the process died in the middle of a line
                message = json.loads(text)
                happening = message["happening"]
                tell(message["ask"], read_happening(happening) if happening else None)
        self.kill()
        await self._process.wait()
        died()
