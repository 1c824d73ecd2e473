"""Child processes that end when we do, however we end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def start_child(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
    death_signal: signal.Signals = signal.SIGKILL,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start in a session of its own (Ctrl-C is ours to pass on), output to ``log``.

    To be called from the main thread: the kernel sends ``death_signal`` when the thread that
    started the child ends.
    """
    parent = os.getpid()

    def prepare() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:
            os._exit(1)

    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509  (called before there are threads)
            pass_fds=pass_fds,
            cwd="/",
        )


def stop_child(child: subprocess.Popen[bytes], how: signal.Signals, patience: float) -> None:
    """Ask with a signal, then end the whole process group."""
    if child.poll() is None:
        child.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(patience)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
