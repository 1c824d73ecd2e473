"""Metrics for Prometheus: of requests in this process, and of the whole service."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from windtunnel import __version__
from windtunnel.errors import UnavailableError
from windtunnel.store import gauges
from windtunnel.store.database import Database

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Monitoring:
    """The registry of one application."""

    def __init__(self, database: Database) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._registry.register(_ServiceCollector(database))
        self._seconds = Histogram(
            "windtunnel_request_seconds",
            "Time until a response was complete; event streams are left out.",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._requests = Counter(
            "windtunnel_requests",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=self._registry,
        )

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. ``route`` is a path template, so that ids make no new series."""
        self._requests.labels(method, route, str(status)).inc()
        if not route.endswith("/events"):
            self._seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self._registry)


class _ServiceCollector(Collector):
    """Reads the database at every scrape."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def describe(self) -> Iterable[Metric]:
        return []  # so that registration does not read the database

    def collect(self) -> Iterable[Metric]:
        info = GaugeMetricFamily("windtunnel_build_info", "The version.", labels=["version"])
        info.add_metric([__version__], 1)
        yield info
        try:
            with self._database.transaction() as session:
                reading = gauges.read(session)
        except UnavailableError:
            yield GaugeMetricFamily("windtunnel_database_up", "PostgreSQL answers.", value=0)
            return
        yield GaugeMetricFamily("windtunnel_database_up", "PostgreSQL answers.", value=1)
        yield from _families(reading)


def _families(reading: gauges.Gauges) -> Iterable[Metric]:
    runs = GaugeMetricFamily(
        "windtunnel_runs", "Stored runs by state and reason of failure.", labels=["state", "reason"]
    )
    for (state, reason), count in sorted(reading.runs.items()):
        runs.add_metric([state, reason], count)
    yield runs
    tables = GaugeMetricFamily(
        "windtunnel_table_bytes", "Size of each table with its indexes.", labels=["table"]
    )
    for name, size in sorted(reading.table_bytes.items()):
        tables.add_metric([name], size)
    yield tables
    for name, help_text, value in (
        ("events", "Events simulated by stored runs and runs in execution.", reading.events),
        ("claimable_runs", "Queued runs that a worker could start now.", reading.claimable_runs),
        ("oldest_queued_seconds", "Age of the oldest queued run.", reading.oldest_queued_age),
        ("lease_seconds", "Time until the earliest lease expires.", reading.earliest_lease),
        ("workers", "Workers that reported lately.", reading.workers),
        ("slots", "Runs that these can execute at once.", reading.slots),
        ("busy_slots", "Runs and verifications in execution.", reading.busy_slots),
        ("database_bytes", "Size of the database.", reading.database_bytes),
    ):
        yield GaugeMetricFamily(f"windtunnel_{name}", help_text, value=value)
