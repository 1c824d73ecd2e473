"""Execute a simulator as a child process with resource limits."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import resource
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from windtunnel.errors import UnavailableError
from windtunnel.run import FailureReason
from windtunnel.simulator.bound_child import bound_command
from windtunnel.simulator.execution import (
    ExecutionMonitor,
    ExitStatus,
    Failed,
    Limits,
    LineSink,
    Lost,
    Outcome,
    ProgressCallback,
)
from windtunnel.simulator.orphans import kill_orphans
from windtunnel.spec.description import Description

log = logging.getLogger(__name__)

DESCRIBE_TIMEOUT_S = 60
_TICK_S = 0.25
_ADDRESS_SPACE_MARGIN = 2**30  # libraries and allocator reserve more than they use
_NO_PROGRAM = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR})


def describe(command: Sequence[str]) -> Description:
    """Run a simulator's ``describe`` command. Raises UnavailableError or ContractError."""
    try:
        process = subprocess.run(
            [*command, "describe"], capture_output=True, timeout=DESCRIBE_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"the simulator {command[0]} did not start: {error}") from error
    if process.returncode != 0:
        tail = process.stderr.decode(errors="replace")[-500:]
        message = f"'{command[0]} describe' exited with code {process.returncode}: {tail}"
        raise UnavailableError(message)
    return Description.from_text(process.stdout.decode(errors="replace"))


class ProcessLauncher:
    """Starts one simulator as a child process per run."""

    def __init__(self, command: Sequence[str], description: Description) -> None:
        self._command = list(command)
        self._description = description

    def run(
        self,
        spec: Mapping[str, Any],
        limits: Limits,
        on_progress: ProgressCallback | None = None,
        sink: LineSink | None = None,
    ) -> Outcome:
        """Execute a run spec to its end. Never raises for what the simulator does."""
        monitor = ExecutionMonitor(self._description, limits, on_progress or (lambda _: True), sink)
        started_at = time.monotonic()
        try:
            child = _start(self._command, limits, json.dumps(spec).encode())
        except (OSError, subprocess.SubprocessError, UnavailableError) as error:
            message = f"the simulator did not start: {error}"
            if isinstance(error, OSError) and error.errno in _NO_PROGRAM:
                return Failed("", 0, FailureReason.IMAGE_MISSING, message)
            return Lost("", 0, message)
        log.info("started process %d", child.pid)
        try:
            _pump(child, monitor, started_at, limits)
        finally:
            _kill(child)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            _close(child)
            kill_orphans()
        # A program whose allocation fails exits by itself, with an error of its own.
        crashed = child.returncode not in (0, -signal.SIGKILL, -signal.SIGTERM)
        out_of_memory = crashed and usage.ru_maxrss * 1024 >= 0.9 * limits.memory_bytes
        exit_status = ExitStatus(child.returncode, out_of_memory)
        return monitor.outcome(exit_status, time.monotonic() - started_at)


def _pump(
    child: subprocess.Popen[bytes], monitor: ExecutionMonitor, started_at: float, limits: Limits
) -> None:
    """Forward output to the monitor until the process exits or the monitor stops the run.

    A closed pipe says nothing about the process, nor an open one: its children may have it.
    """
    exit_fd = os.pidfd_open(child.pid)  # readable when the process has exited
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(exit_fd, selectors.EVENT_READ)
            for pipe in (child.stdout, child.stderr):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ)
            next_tick = started_at
            while not monitor.should_stop:
                exited = _forward(selector, child, monitor, exit_fd)
                now = time.monotonic()
                if now >= next_tick:
                    next_tick = now + _TICK_S
                    if _resident_bytes(child.pid) > limits.memory_bytes:
                        monitor.memory_exceeded()
                    monitor.tick(now - started_at)
                if exited:
                    break
    finally:
        os.close(exit_fd)


def _forward(
    selector: selectors.BaseSelector,
    child: subprocess.Popen[bytes],
    monitor: ExecutionMonitor,
    exit_fd: int,
) -> bool:
    """Wait a tick for output, and forward it. Returns whether the process has exited, and all its
    output is forwarded."""
    ready = [key for key, _ in selector.select(_TICK_S)]
    for key in ready:
        if key.fd == exit_fd:
            continue
        block = os.read(key.fd, 1 << 16)
        if not block:
            selector.unregister(key.fileobj)
        elif key.fileobj is child.stdout:
            monitor.on_stdout(block)
        else:
            monitor.on_stderr(block)
    return [key.fd for key in ready] == [exit_fd]


def _start(command: Sequence[str], limits: Limits, spec: bytes) -> subprocess.Popen[bytes]:
    # A file instead of a pipe: a simulator that does not read its spec can't block us.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(spec)
        stdin.seek(0)
        return subprocess.Popen(
            bound_command(command, ulimits=_ulimits(limits)),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"},
        )


def _ulimits(limits: Limits) -> list[str]:
    """Arguments of ``ulimit``: address space in KiB, files in blocks of 512 bytes."""
    address_space = limits.memory_bytes + _ADDRESS_SPACE_MARGIN
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        address_space = min(address_space, hard)
    return [f"-v {address_space // 1024}", "-c 0", f"-f {limits.file_bytes // 512}", "-n 256"]


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the process group. The child is not reaped yet, so its pid can't have been reused."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _close(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def _resident_bytes(pid: int) -> int:
    try:
        statm = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0
