"""Servers that still run on a data folder, though the service that started them is dead."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from windtunnel.errors import UnavailableError

_POLL_SECONDS = 0.05
# A signal, and how long to wait for its effect before the next one.
Stages = Sequence[tuple[signal.Signals, float]]


def end_leftovers(programs: Sequence[str], folder: Path, stages: Stages) -> None:
    """End the processes of these programs that work in ``folder``; wait until they have exited.

    Only for the holder of the data folder's lock. Raises UnavailableError if they do not exit.
    """
    for signal_number, seconds in stages:
        for pid in leftovers(programs, folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal_number)
        deadline = time.monotonic() + seconds
        while leftovers(programs, folder):
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
        else:
            return
    pids = ", ".join(str(pid) for pid in leftovers(programs, folder))
    raise UnavailableError(f"processes of an earlier service do not exit: {pids}")


def leftovers(programs: Sequence[str], folder: Path) -> list[int]:
    """Ids of the processes of these programs whose working directory is ``folder``."""
    return [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdigit() and _works_in(process, programs, folder)
    ]


def _works_in(process: Path, programs: Sequence[str], folder: Path) -> bool:
    try:
        program = (process / "exe").readlink().name.removesuffix(" (deleted)")
        return program in programs and (process / "cwd").samefile(folder)
    except OSError:  # it has just exited, or belongs to another user
        return False
