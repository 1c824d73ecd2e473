"""``python -m windtunnel_worker``: start a Celery worker with this package's app."""

from __future__ import annotations

from windtunnel_worker.app import app, settings, stop_reconciler

try:
    app.worker_main(
        [
            "worker",
            *("--concurrency", str(settings.slots), "--loglevel", settings.log_level),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]
    )
finally:
    stop_reconciler()
