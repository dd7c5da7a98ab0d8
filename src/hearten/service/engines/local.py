"""The default engine: worker processes on this machine's processors."""

import os

from hearten.service.engine import Engine
from hearten.service.settings import ServiceSettings
from hearten.service.workers.pool import Pool, Size
from hearten.service.workers.process import ProcessWorker


def make(settings: ServiceSettings) -> Engine:
    """Put the pool together; the workers start later."""
    count = settings.workers or os.cpu_count() or 1
    return Pool(
        lambda: ProcessWorker(settings.systems, settings.threads, settings.together),
        Size(count, settings.slots, settings.queue, settings.answer_seconds),
    )
