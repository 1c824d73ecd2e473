"""Processes that outlive the child that started them.

A process that leaves its process group (``setsid``) is missed when the group is killed. In a child
subreaper (prctl(2)) such a process becomes a child of this one when its parent exits, and can be
found and killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37
_KILL_SECONDS = 5.0
_POLL_SECONDS = 0.002


def become_subreaper() -> None:
    """Adopt orphaned descendants from now on. For processes whose only children are simulators."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans() -> None:
    """Kill all children, and theirs, until none is left; only effective in a subreaper.

    Gives up after a few seconds on processes that the kernel can't end (uninterruptible sleep).
    """
    if not _is_subreaper():
        return
    deadline = time.monotonic() + _KILL_SECONDS
    while _reap() and time.monotonic() < deadline:
        for pid in _children():
            with contextlib.suppress(PermissionError):  # a setuid program
                os.kill(pid, signal.SIGKILL)  # a child that is not reaped keeps its pid
        time.sleep(_POLL_SECONDS)


def _is_subreaper() -> bool:
    answer = ctypes.c_int()
    ctypes.CDLL(None).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return answer.value == 1


def _reap() -> bool:
    """Reap children that have exited. Returns whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _children() -> list[int]:
    """Ids of this process's children, also of those that have exited."""
    own = os.getpid()
    return [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and _parent(folder) == own
    ]


def _parent(folder: Path) -> int | None:
    try:
        stat = (folder / "stat").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has just exited
        return None
    return int(stat.rsplit(")", 1)[1].split()[1])
