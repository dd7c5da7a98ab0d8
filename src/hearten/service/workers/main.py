"""A worker process: lines of JSON in, lines of JSON out. Ends when its input ends, that is, with the server."""

import json
import os
import signal
import sys
import threading
from dataclasses import asdict
from typing import BinaryIO

from hearten.errors import UserError
from hearten.service.engine import Happening
from hearten.service.workers.desk import Desk
from hearten.service.workers.loading import load
from hearten.service.workers.messages import happening_table, line, read_ask


def main() -> None:
    """Load what the first line names, then answer what the others ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Libraries that print must not disturb the conversation with the server.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        wanted = json.loads(sys.stdin.buffer.readline())
        try:
            loaded = load(wanted["systems"], wanted["threads"])
        except UserError as error:
            out.write(line({"refused": str(error)}))
            return
        out.write(line({"ready": [asdict(one) for one in loaded.served]}))
        out.flush()
        desk = Desk(loaded, Teller(out), wanted["together"])
        threading.Thread(target=_listen, args=(desk,), daemon=True).start()
        desk.work()


class Teller:
    """Writes what happens to the server."""

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._lock = out, threading.Lock()

    def __call__(self, ask: str, happening: Happening | None) -> None:
        """Write one line, from any thread."""
        told = line({"ask": ask, "happening": happening_table(happening) if happening else None})
        with self._lock:
            self._out.write(told)
            self._out.flush()


def _listen(desk: Desk) -> None:
    for text in sys.stdin.buffer:
        message = json.loads(text)
        if "ask" in message:
            desk.put(read_ask(message["ask"]))
        else:
            desk.drop(message["drop"])
    # The server is gone; whatever is under way has no reader any more.
    os._exit(0)


if __name__ == "__main__":
    main()
