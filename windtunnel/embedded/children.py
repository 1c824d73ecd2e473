"""Child processes that are killed when this process exits for any reason."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.simulator.bound_child import bound_command


def start_child(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
    death_signal: signal.Signals = signal.SIGKILL,
    pass_fds: Sequence[int] = (),
    setpriv_options: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    """Start a child in its own session, so that it does not receive Ctrl-C, with output to ``log``.

    Call this from the main thread: the kernel sends ``death_signal`` when the thread that started
    the child exits. ``setpriv_options`` change the child's user.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            bound_command(command, death_signal, setpriv_options=setpriv_options),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            pass_fds=pass_fds,
            cwd="/",
        )


def stop_child(
    child: subprocess.Popen[bytes], stop_signal: signal.Signals, stop_timeout: float
) -> None:
    """Send ``stop_signal``, wait up to ``stop_timeout`` seconds, then kill the process group."""
    if child.poll() is None:
        child.send_signal(stop_signal)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(stop_timeout)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
