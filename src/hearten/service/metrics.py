"""What is counted, for Prometheus. Numbers only: no text, no ids of people or conversations."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from hearten.service.engine import Engine

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)


class Metrics:
    """The counters of one server."""

    def __init__(self, engine: Engine) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "hearten_requests", "Requests by route and status.", ["method", "route", "status"], registry=self._registry
        )
        self.replies = Counter(
            "hearten_replies", "Replies by system and how they ended.", ["system", "outcome"], registry=self._registry
        )
        self.efforts = Counter("hearten_efforts", "Replies by the work put in.", ["effort"], registry=self._registry)
        self.crises = Counter("hearten_crises", "Messages that were met with help.", ["kind"], registry=self._registry)
        self.feedback = Counter("hearten_feedback", "What people said of replies.", ["kind"], registry=self._registry)
        self.first = Histogram(
            "hearten_first_piece_seconds", "Until the first words.", buckets=SECONDS, registry=self._registry
        )
        self.whole = Histogram(
            "hearten_reply_seconds", "Until the whole reply is stored.", buckets=SECONDS, registry=self._registry
        )
        self._registry.register(_EngineGauges(engine))

    def text(self) -> bytes:
        """Return everything in Prometheus' format."""
        return generate_latest(self._registry)


class _EngineGauges(Collector):
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        """Ask the engine when Prometheus asks us."""
        load = self._engine.load
        yield GaugeMetricFamily("hearten_workers", "Workers that are ready.", value=load.workers)
        yield GaugeMetricFamily("hearten_asks_busy", "Asks that workers have in hand.", value=load.busy)
        yield GaugeMetricFamily("hearten_asks_waiting", "Asks that wait for a worker.", value=load.waiting)
        yield GaugeMetricFamily("hearten_worker_restarts", "Workers that died and were replaced.", value=load.restarts)
