"""One server to a file: SQLite is safe with a single writer, so a second server is turned away."""

import fcntl
import os
from pathlib import Path

from hearten.errors import UserError


class FileLock:
    """Holds a lock on a file until released or the process ends, however it ends."""

    def __init__(self, place: str) -> None:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise UserError(
                f"another server uses this database ({place.removesuffix('.lock')}); stop it, name another file, "
                "or use PostgreSQL, which several servers can share"
            ) from None

    def release(self) -> None:
        """Let others have it."""
        os.close(self._file)
