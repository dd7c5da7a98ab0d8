"""How much one visitor may ask for: a bucket that fills at a steady rate."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from hearten.service.errors import ApiError

REMEMBERED = 50_000
"""Buckets kept at the most; the longest unused one is forgotten first, which does its owner no harm."""


class RateLimit:
    """Lets `per_minute` through on average, and a quarter of that at once."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = per_minute / 60, clock
        self._size = max(1.0, per_minute / 4)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> None:
        """Take one from somebody's bucket, or raise a 429 that says when the next one is there."""
        now = self._clock()
        level, then = self._buckets.get(who, (self._size, now))
        level = min(self._size, level + (now - then) * self._rate)
        if level < 1:
            wait = math.ceil((1 - level) / self._rate)
            raise ApiError(429, "too_fast", f"That was a lot at once. Please wait {wait} s and try again.", wait)
        self._buckets[who] = (level - 1, now)
        self._buckets.move_to_end(who)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
