"""An engine in the server's own process: one copy of a trained model, which answers many people in one batch."""

from hearten.service.engine import Engine
from hearten.service.settings import ServiceSettings
from hearten.service.workers.pool import Pool, Size
from hearten.service.workers.thread import ThreadWorker


def make(settings: ServiceSettings) -> Engine:
    """Put the pool together: one worker."""
    return Pool(
        lambda: ThreadWorker(settings.systems, settings.threads, settings.together),
        Size(1, settings.slots, settings.queue, settings.answer_seconds),
    )
