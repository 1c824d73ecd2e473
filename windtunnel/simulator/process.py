"""Runs a simulator as a child process with resource limits.

A simulator that fails is a result; an executor that fails (the child was killed by somebody else)
is to be tried again. Outcome keeps the two apart.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import resource
import selectors
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windtunnel.errors import ContractError, UnavailableError
from windtunnel.result import RunResult
from windtunnel.run import FailureReason
from windtunnel.simulator.reader import MAX_LINE_BYTES, Progress, StreamReader
from windtunnel.spec.description import Description

STDERR_BYTES = 64 * 1024
DESCRIBE_TIMEOUT_S = 60
_TICK_S = 0.25
_PR_SET_PDEATHSIG = 1
_ADDRESS_SPACE_OVER_MEMORY = 2**30  # libraries and allocator reserve more than they use
_LIBC = ctypes.CDLL(None)
_NO_PROGRAM = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR})


@dataclass(frozen=True)
class Limits:
    """What one run may take."""

    wall_seconds: float = 3600
    memory_bytes: int = 4 * 2**30
    output_bytes: int = 256 * 2**20
    file_bytes: int = 0  # a run writes none; a packet capture does


@dataclass(frozen=True)
class Outcome:
    """How an execution ended: with a result, a failure, or neither (cancelled, or executor lost).

    ``lines`` are the raw record lines when they were asked for.
    """

    result: RunResult | None
    failure: FailureReason | None
    message: str
    stderr: str
    wall_seconds: float
    cancelled: bool = False
    executor_lost: bool = False


# Called with the newest progress about every quarter of a second; False ends the run.
Watch = Callable[[Progress | None], bool]
# Called with every record line as the simulator printed it.
LineSink = Callable[[bytes], None]


def describe(command: Sequence[str]) -> Description:
    """Ask a simulator what it offers. Raises UnavailableError or ContractError."""
    try:
        done = subprocess.run(
            [*command, "describe"], capture_output=True, timeout=DESCRIBE_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"the simulator {command[0]} does not start: {error}") from error
    if done.returncode != 0:
        tail = done.stderr.decode(errors="replace")[-500:]
        raise UnavailableError(f"'{command[0]} describe' ended with {done.returncode}: {tail}")
    return Description.from_text(done.stdout.decode())


class ProcessLauncher:
    """Starts one simulator as a child process per run."""

    def __init__(self, command: Sequence[str], description: Description) -> None:
        self._command = list(command)
        self._description = description

    def run(
        self,
        spec: Mapping[str, Any],
        limits: Limits,
        watch: Watch | None = None,
        sink: LineSink | None = None,
    ) -> Outcome:
        """Execute a run spec to its end. Never raises for what the simulator does."""
        execution = _Execution(self._command, self._description, limits)
        return execution.run(json.dumps(spec).encode(), watch or (lambda _: True), sink)


@dataclass
class _Execution:
    command: Sequence[str]
    description: Description
    limits: Limits
    buffer: bytearray = field(default_factory=bytearray)
    received: int = 0
    progress: Progress | None = None
    stop: FailureReason | None = None
    message: str = ""
    cancelled: bool = False

    def run(self, spec: bytes, watch: Watch, sink: LineSink | None) -> Outcome:
        self.reader = StreamReader(self.description)
        self.sink = sink
        self.stderr_tail: deque[bytes] = deque()
        begin = time.monotonic()
        try:
            child = _start(self.command, self.limits, spec)
        except (OSError, subprocess.SubprocessError) as error:
            message = f"the simulator does not start: {error}"
            if isinstance(error, OSError) and error.errno in _NO_PROGRAM:
                return Outcome(None, FailureReason.IMAGE_MISSING, message, "", 0)
            return Outcome(None, None, message, "", 0, executor_lost=True)
        try:
            self._pump(child, begin, watch)
        finally:
            _kill(child)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            _close(child)
        return self._outcome(child.returncode, usage.ru_maxrss * 1024, time.monotonic() - begin)

    def _pump(self, child: subprocess.Popen[bytes], begin: float, watch: Watch) -> None:
        """Move output until both pipes are at their end or there is a reason to stop."""
        with selectors.DefaultSelector() as selector:
            for pipe in (child.stdout, child.stderr):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ)
            next_tick = begin
            while selector.get_map() and self.stop is None and not self.cancelled:
                for key, _ in selector.select(_TICK_S):
                    block = os.read(key.fd, 1 << 16)
                    if not block:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is child.stdout:
                        self._take_output(block)
                    else:
                        self._take_stderr(block)
                now = time.monotonic()
                if now >= next_tick:
                    next_tick = now + _TICK_S
                    self._check_limits(child.pid, now - begin)
                    self.cancelled = not watch(self.progress)
            if self.stop is None and not self.cancelled:
                self._await_exit(child, begin)

    def _await_exit(self, child: subprocess.Popen[bytes], begin: float) -> None:
        """Both pipes are closed: leave the process the rest of its time to end by itself."""
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() - begin > self.limits.wall_seconds:
                self._stop(FailureReason.TIMED_OUT, self._timeout_message())
                return
            time.sleep(0.01)

    def _take_output(self, block: bytes) -> None:
        self.received += len(block)
        self.buffer += block
        *lines, rest = self.buffer.split(b"\n")
        self.buffer = bytearray(rest)
        try:
            for line in lines:
                self.progress = self.reader.feed(bytes(line)) or self.progress
                if self.sink:
                    self.sink(bytes(line))
        except ContractError as error:
            self._stop(FailureReason.INVALID_RESULT, str(error))
        if self.received > self.limits.output_bytes or len(rest) > MAX_LINE_BYTES:
            message = f"more than {self.limits.output_bytes} bytes of output, or a line without end"
            self._stop(FailureReason.INVALID_RESULT, message)

    def _take_stderr(self, block: bytes) -> None:
        self.stderr_tail.append(block)
        while sum(map(len, self.stderr_tail)) - len(self.stderr_tail[0]) >= STDERR_BYTES:
            self.stderr_tail.popleft()

    def _check_limits(self, pid: int, elapsed: float) -> None:
        if elapsed > self.limits.wall_seconds:
            self._stop(FailureReason.TIMED_OUT, self._timeout_message())
        elif _resident_bytes(pid) > self.limits.memory_bytes:
            self._stop(FailureReason.OUT_OF_MEMORY, self._memory_message())

    def _stop(self, reason: FailureReason, message: str) -> None:
        if self.stop is None:
            self.stop, self.message = reason, message

    def _timeout_message(self) -> str:
        return f"not finished after {self.limits.wall_seconds:g} s of wall-clock time"

    def _memory_message(self) -> str:
        return f"needed more than {self.limits.memory_bytes / 2**20:.0f} MiB of memory"

    def _outcome(self, exit_code: int, peak_bytes: int, wall_seconds: float) -> Outcome:
        stderr = b"".join(self.stderr_tail)[-STDERR_BYTES:].decode(errors="replace")
        result = self.reader.result
        failure, message = self.stop, self.message
        if self.cancelled:
            return Outcome(None, None, "cancelled", stderr, wall_seconds, cancelled=True)
        if failure is None and exit_code in (-signal.SIGKILL, -signal.SIGTERM):
            message = f"the simulator was killed from outside ({signal.Signals(-exit_code).name})"
            return Outcome(None, None, message, stderr, wall_seconds, executor_lost=True)
        if failure is None and exit_code != 0:
            failure, message = FailureReason.SIM_CRASHED, _crash_message(exit_code, stderr)
            if peak_bytes >= 0.9 * self.limits.memory_bytes:
                failure, message = FailureReason.OUT_OF_MEMORY, self._memory_message()
        elif failure is None and (result is None or self.buffer):
            failure = FailureReason.INVALID_RESULT
            message = "the record stream ended without a 'finished' record"
        elif failure is None and result is not None and result.broken_checks:
            failure = FailureReason.INVARIANT_BROKEN
            message = "; ".join(f"{check.name}: {check.detail}" for check in result.broken_checks)
        return Outcome(None if failure else result, failure, message, stderr, wall_seconds)


def _start(command: Sequence[str], limits: Limits, spec: bytes) -> subprocess.Popen[bytes]:
    parent = os.getpid()
    address_space = limits.memory_bytes + _ADDRESS_SPACE_OVER_MEMORY
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        address_space = min(address_space, hard)

    def confine() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before the line above
            os._exit(1)
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    # From a file, not a pipe: a simulator that does not read its spec can't hold us up.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(spec)
        stdin.seek(0)
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=confine,  # noqa: PLW1509  (a worker's pool process has one thread)
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"},
        )


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the whole process group; the child is not reaped yet, so its id is still its own."""
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


def _crash_message(exit_code: int, stderr: str) -> str:
    how = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
    last = next((line for line in reversed(stderr.splitlines()) if line.strip()), "")
    return f"the simulator ended with {how}" + (f": {last.strip()[:300]}" if last else "")
