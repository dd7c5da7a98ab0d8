"""fastText's own training, which reads lines from a file."""

import random
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from hearten.errors import MissingExtra


def learn(how: Literal["supervised", "unsupervised"], lines: Iterable[str], order: int, **options: Any) -> Any:
    """Train a model on lines, in the shuffled order of that number: fastText takes them as they come."""
    try:
        import fasttext  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("training fastText") from None
    shuffled = list(lines)
    random.Random(order).shuffle(shuffled)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "lines.txt"
        place.write_text("".join(f"{line}\n" for line in shuffled), encoding="utf-8")
        watched = {"verbose": 2 if sys.stderr.isatty() else 0}
        # with more threads the result is another each time
        return getattr(fasttext, f"train_{how}")(str(place), thread=1, **watched, **options)
