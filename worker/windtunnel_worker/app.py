"""The Celery app. Messages only wake up workers; runs are claimed in PostgreSQL."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init, worker_process_init

from windtunnel import logs
from windtunnel.errors import ProtocolError, UntrustedServerError, WindtunnelError
from windtunnel.settings import Settings
from windtunnel.simulator import become_subreaper
from windtunnel.store.database import Database
from windtunnel.store.simulators import check_protocol, installation_id
from windtunnel_worker import transport
from windtunnel_worker.launchers import available_simulators
from windtunnel_worker.supervisor import ReconcilerSupervisor

log = logging.getLogger(__name__)

_PR_SET_PDEATHSIG = 1

settings = Settings.from_environment()
transport.install()
app = Celery("windtunnel", broker=settings.redis_url, include=["windtunnel_worker.tasks"])
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_concurrency=settings.slots,
    worker_soft_shutdown_timeout=5.0,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": 3600},
    worker_enable_remote_control=False,
    worker_send_task_events=False,
)

_reconciler: ReconcilerSupervisor | None = None


def worker_name(main_pid: int) -> str:
    """Name of the worker whose main process has this pid."""
    return settings.worker_name or f"{settings.host}:{main_pid}"


@setup_logging.connect  # type: ignore[untyped-decorator]
def _configure_logging(**_: Any) -> None:
    """Log as the reconciler and the API do; Celery asks before it sets up its own way."""
    logs.configure(settings.log_level, settings.log_format)


@worker_init.connect  # type: ignore[untyped-decorator]
def _start_reconciler(**_: Any) -> None:
    """Start the reconciler process, which registers the worker and ends expired leases."""
    global _reconciler
    _describe_images()
    _reconciler = ReconcilerSupervisor({"WINDTUNNEL_WORKER_NAME": worker_name(os.getpid())})
    _reconciler.start()


def check_database() -> None:
    """Exit with an error if the database is not trusted or is one of another version."""
    database = Database(settings.database_url, pool_size=1)
    try:
        with database.transaction() as session:
            check_protocol(session)
    except (ProtocolError, UntrustedServerError) as error:
        sys.exit(str(error))
    except WindtunnelError as error:  # every round of the reconciler asks again
        log.warning("cannot check the protocol yet: %s", error)
    finally:
        database.close()


def _describe_images() -> None:
    """Fill the cache of image descriptions before the pool is forked."""
    if settings.launcher != "docker":
        return
    name = worker_name(os.getpid())
    database = Database(settings.database_url, pool_size=1)
    try:
        with database.transaction() as session:
            installation = installation_id(session)
        available_simulators(settings, name, installation).now()
    except WindtunnelError as error:
        log.warning("cannot describe the images yet, will retry: %s", error)
    finally:
        database.close()


def stop_reconciler() -> bool:
    """Stop the reconciler after the pool has exited. Returns False if it could not be kept running.

    Called explicitly because Celery's cold shutdown does not send the signal worker_shutdown.
    """
    if _reconciler is None:
        return True
    _reconciler.stop()
    return not _reconciler.failed


@worker_process_init.connect  # type: ignore[untyped-decorator]
def _prepare_pool_process(**_: Any) -> None:
    """Kill a pool process when its main process dies: nothing would supervise it any more.

    All its children are simulators, so it adopts and kills what they leave.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    become_subreaper()
