"""Keeps the reconciler running beside a worker's main process.

Without a reconciler a worker reports nothing, ends no leases and is not woken up. One that dies or
hangs is restarted. If it dies again and again, or can't be started, the worker ends with an error,
and whoever supervises the worker starts it again.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping

from windtunnel.errors import UnavailableError
from windtunnel.simulator.bound_child import bound_command

log = logging.getLogger(__name__)

# File descriptor to which the reconciler writes a byte per round.
BEAT_FD = "WINDTUNNEL_RECONCILER_BEAT_FD"
_MAX_DEATHS = 5
_DEATHS_WITHIN_SECONDS = 60.0
_RESTART_SECONDS = 0.5
_HUNG_SECONDS = 60.0
_WORKER_EXIT_SECONDS = 15.0
_SHUTDOWN_SECONDS = 10.0


class ReconcilerSupervisor:
    """Runs one reconciler at a time in a thread, with these environment variables added."""

    def __init__(self, variables: Mapping[str, str], hung_seconds: float = _HUNG_SECONDS) -> None:
        self._variables = dict(variables)
        self._hung_seconds = hung_seconds
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._deaths: deque[float] = deque(maxlen=_MAX_DEATHS)
        self.failed = False
        # The reconciler's parent-death signal is sent when the thread that started it exits.
        self._thread = threading.Thread(target=self._supervise, name="reconciler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the reconciler after the pool has exited; it releases the worker's leases."""
        self._stopping.set()
        if self._process is not None:
            self._process.terminate()
        self._thread.join(_SHUTDOWN_SECONDS)

    def _supervise(self) -> None:
        reason = self._keep_running()
        if reason:
            self._end_worker(reason)

    def _keep_running(self) -> str:
        """Run reconcilers until the worker stops. Returns why that is not possible, or nothing."""
        while not self._stopping.is_set():
            try:
                how = self._run_once()
            except (OSError, UnavailableError) as error:
                return f"the reconciler can't be started: {error}"
            if self._stopping.is_set():
                break
            log.error("the reconciler %s; restarting it", how)
            self._deaths.append(time.monotonic())
            if self._dies_again_and_again():
                return (
                    f"the reconciler died {_MAX_DEATHS} times within {_DEATHS_WITHIN_SECONDS:g} s"
                )
            self._stopping.wait(_RESTART_SECONDS)
        return ""

    def _run_once(self) -> str:
        """Run a reconciler to its end. Returns how it ended."""
        beat, beat_out = os.pipe()
        try:
            variables = {**os.environ, **self._variables, BEAT_FD: str(beat_out)}
            process = subprocess.Popen(
                bound_command([sys.executable, "-m", "windtunnel_worker.reconciler"]),
                env=variables,
                pass_fds=[beat_out],
                start_new_session=True,
            )
        finally:
            os.close(beat_out)
        self._process = process
        if self._stopping.is_set():
            process.terminate()
        hung = not _wait_for_end(process, beat, self._hung_seconds)
        os.close(beat)
        if hung:
            process.kill()
        code = process.wait()
        return f"made no round for {self._hung_seconds:g} s" if hung else f"exited with {code}"

    def _dies_again_and_again(self) -> bool:
        full = len(self._deaths) == _MAX_DEATHS
        return full and self._deaths[-1] - self._deaths[0] < _DEATHS_WITHIN_SECONDS

    def _end_worker(self, reason: str) -> None:
        """Shut the worker down as SIGQUIT does; it exits with an error."""
        log.critical("%s; the worker ends", reason)
        self.failed = True
        os.kill(os.getpid(), signal.SIGQUIT)
        time.sleep(_WORKER_EXIT_SECONDS)
        os._exit(1)  # the main thread is blocked


def _wait_for_end(process: subprocess.Popen[bytes], beat: int, hung_seconds: float) -> bool:
    """Wait until a process exits. Returns False if it is silent for too long after its first byte.

    The first round has no limit, because missing images are pulled before it. The end of the pipe
    tells nothing: a pool process that was forked meanwhile may hold it open.
    """
    exit_fd = os.pidfd_open(process.pid)
    timeout = None
    try:
        while ready := select.select([exit_fd, beat], [], [], timeout)[0]:
            if exit_fd in ready:
                return True
            os.read(beat, 1024)
            timeout = hung_seconds
        return False
    finally:
        os.close(exit_fd)
