"""Real servers for the tests: in a thread around a toy engine, or as the program itself with a system of our own."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
from fastapi import FastAPI
from service_toys import Events, parse

from hearten.service.server import Server, bound, configuration

PATIENT = '''
import os, pathlib, time
from hearten.config import Settings
from hearten.dialogue import Reply
from hearten.system import System

class PatientSettings(Settings):
    pass

class Patient(System):
    """Says that it has begun, and answers when it is allowed to."""
    Config = PatientSettings
    @classmethod
    def prepare(cls, config, examples, seed):
        return cls()
    def assets(self):
        return {}
    def tensors(self):
        return {}
    @classmethod
    def restore(cls, config, assets, tensors):
        return cls()
    def reply(self, context, n=1):
        folder = pathlib.Path(os.environ["PATIENT_FOLDER"])
        (folder / f"begun-{os.getpid()}").touch()
        while not (folder / "go").exists():
            time.sleep(0.01)
        return [Reply("You said: " + context[-1].text)]

PLUGIN = Patient
'''


@contextlib.contextmanager
def in_thread(app: FastAPI) -> Iterator[str]:
    """Serve an app in a thread and give its address."""
    place = bound("127.0.0.1", 0)
    server = Server(configuration(app), app)
    thread = threading.Thread(target=server.run, args=([place],))
    thread.start()
    wait_for(lambda: server.started)
    port = place.getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
        place.close()


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def install_patient(folder: Path) -> dict[str, str]:
    """Put the system `patient` where a new process finds it, and return the environment for that."""
    package = folder / "patient"
    package.mkdir()
    (package / "__init__.py").write_text(PATIENT)
    (package / "README.md").write_text("# patient: answers when it is allowed to\n")
    (package / "tiny.toml").write_text('[system]\n[[stage]]\ncorpus = "sample"\n')
    info = folder / "patient-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: patient\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hearten.systems]\npatient = patient\n")
    return {"PYTHONPATH": str(folder), "PATIENT_FOLDER": str(folder)}


class Program:
    """`hearten serve` in a process of its own."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        command = [
            sys.executable,
            "-m",
            "hearten",
            "serve",
            "--port",
            "0",
            "--data-folder",
            str(folder / "data"),
            *options,
        ]
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}, start_new_session=True
        )
        self.said: list[str] = []
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()
        wait_for(lambda: self._address() or self._process.poll() is not None, 120)
        assert self._process.poll() is None, self.said
        self.url = str(self._address())

    def _hear(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said.append(line.rstrip())

    def _address(self) -> str | None:
        return next((line.rstrip("/") for line in self.said if re.fullmatch(r"http://[\d.]+:\d+/", line)), None)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server alone, not to its workers."""
        os.kill(self._process.pid, number)

    def workers(self) -> list[psutil.Process]:
        """Return the worker processes."""
        return psutil.Process(self._process.pid).children()

    def wait(self, seconds: float = 60.0) -> int:
        """Wait for the end and return the exit code."""
        code = self._process.wait(seconds)
        self._hearing.join(10)
        assert self._process.stderr is not None
        self._process.stderr.close()
        return code

    def close(self) -> None:
        """End the server if it still runs."""
        if self._process.poll() is None:
            self.signal(signal.SIGKILL)
        self.wait()


class Visitor:
    """Somebody who talks to a real server."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=60)
        self.client.get("/api/session").raise_for_status()

    def begin(self) -> str:
        """Begin a conversation."""
        return str(self.client.post("/api/conversations", json={}).raise_for_status().json()["id"])

    def say(self, conversation: str, text: str, key: str) -> Events:
        """Say something and return all events."""
        response = self.client.post(f"/api/conversations/{conversation}/turns", json={"text": text, "key": key})
        return parse(response.raise_for_status().text)

    def turns(self, conversation: str) -> list[dict[str, Any]]:
        """Return the turns of a conversation."""
        return list(self.client.get(f"/api/conversations/{conversation}").json()["turns"])


def first_event(lines: Iterator[str]) -> dict[str, Any]:
    """Read the first event of a stream."""
    next(lines)
    return dict(json.loads(next(lines).removeprefix("data: ")))
