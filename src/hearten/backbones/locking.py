"""One process at a time fetches or converts a backbone; the others wait and then find it done."""

import contextlib
import sys
from collections.abc import Iterator

from rich.console import Console

from hearten import places

if sys.platform != "win32":
    import fcntl


@contextlib.contextmanager
def alone(name: str) -> Iterator[None]:
    """Hold the lock of a backbone; it ends with the process, however that ends. Windows goes without."""
    path = places.cache_folder() / "downloads" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        if sys.platform != "win32":
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                Console(stderr=True).print(f"{name}: another process is fetching or converting it; waiting")
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
