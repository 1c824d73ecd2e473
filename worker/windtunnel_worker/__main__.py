"""``python -m windtunnel_worker``: start a Celery worker with this package's app."""

from __future__ import annotations

import sys

from windtunnel_worker.app import app, check_database, settings, stop_reconciler
from windtunnel_worker.wakeup import check_redis, clean

check_database()
check_redis()
clean()
try:
    app.worker_main(
        [
            "worker",
            *("--concurrency", str(settings.slots), "--loglevel", settings.log_level),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]
    )
finally:
    if not stop_reconciler():
        sys.exit(1)
