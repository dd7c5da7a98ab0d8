"""A PostgreSQL server of the tests' own, where its programs are found."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """Find the folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


class Postgres:
    """A server that can be stopped and started again."""

    def __init__(self, home: Path, place: Path) -> None:
        self._bin, self._home = home, place
        self._user = _unprivileged()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._run("initdb", "-D", str(place / "data"), "-U", "tester", "-A", "trust", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._home} -c fsync=off"
        self._control("start", "-w", "-l", str(self._home / "log"), "-o", options)

    def stop(self, how: str = "fast") -> None:
        """Stop the server."""
        self._control("stop", "-w", "-m", how)

    def new_database(self, name: str) -> str:
        """Make a database and return its address."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "tester", name)
        return f"postgresql://tester@127.0.0.1:{self.port}/{name}"

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self._home / "data"), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._home, user=self._user)


@contextmanager
def postgres() -> Iterator[Postgres | None]:
    """Give a running server, or None where there are no programs for one."""
    home = programs()
    if home is None:
        yield None
        return
    place = Path(tempfile.mkdtemp(prefix="hearten-pg-"))
    if user := _unprivileged():
        os.chown(place, user, -1)
    server = Postgres(home, place)
    try:
        yield server
    finally:
        server.stop("immediate")
        shutil.rmtree(place, ignore_errors=True)


def _unprivileged() -> int | None:
    """PostgreSQL refuses to run as root; its own user or nobody does it instead."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    return None
