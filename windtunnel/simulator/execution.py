"""Monitoring of an execution, shared by all launchers: limits, records and outcome.

A failed simulation is a result. A failed executor (for example a process killed from outside) is
retried. `Outcome` distinguishes the two.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from windtunnel.errors import ContractError
from windtunnel.result import RunResult
from windtunnel.run import FailureReason
from windtunnel.simulator.reader import MAX_LINE_BYTES, Progress, StreamReader
from windtunnel.spec.description import Description

STDERR_BYTES = 64 * 1024
REASON_CHARACTERS = 1000
# Printed after the line that says why: by ns-3 (NS_ASSERT, NS_ABORT, NS_FATAL_ERROR), and by C++.
_AFTER_THE_REASON = ("NS_FATAL, terminating", "terminate called without an active exception")


@dataclass(frozen=True)
class Limits:
    """Resource limits of one run."""

    wall_seconds: float = 3600
    stall_seconds: float = math.inf  # wall-clock time without simulated progress
    memory_bytes: int = 4 * 2**30
    output_bytes: int = 256 * 2**20
    file_bytes: int = 0  # only a packet capture writes a file


@dataclass(frozen=True)
class _Ended:
    stderr: str
    wall_seconds: float


@dataclass(frozen=True)
class Succeeded(_Ended):
    """The simulator delivered a complete, valid result."""

    result: RunResult


@dataclass(frozen=True)
class Failed(_Ended):
    """The simulation failed; a retry would fail in the same way."""

    reason: FailureReason
    message: str


@dataclass(frozen=True)
class Cancelled(_Ended):
    """The progress callback cancelled the run."""


@dataclass(frozen=True)
class Lost(_Ended):
    """The executor failed, not the simulation; retry."""

    message: str


Outcome = Succeeded | Failed | Cancelled | Lost


@dataclass(frozen=True)
class ExitStatus:
    """How the process exited; a negative exit code is the number of a signal."""

    exit_code: int
    out_of_memory: bool = False


# Called about four times a second with the latest progress; returning False ends the run.
ProgressCallback = Callable[[Progress | None], bool]
# Called with every record line as the simulator printed it.
LineSink = Callable[[bytes], None]


class Launcher(Protocol):
    """Executes runs of one simulator."""

    def run(
        self,
        spec: Mapping[str, Any],
        limits: Limits,
        on_progress: ProgressCallback | None = None,
        sink: LineSink | None = None,
    ) -> Outcome:
        """Execute a run spec to its end. Never raises for what the simulator does."""


class ExecutionMonitor:
    """Parses one execution's output, decides when to stop it, and classifies how it ended."""

    def __init__(
        self,
        description: Description,
        limits: Limits,
        on_progress: ProgressCallback,
        sink: LineSink | None = None,
    ) -> None:
        self._reader = StreamReader(description)
        self._limits = limits
        self._on_progress = on_progress
        self._sink = sink
        self._line = bytearray()
        self._received = 0
        self._stderr = bytearray()
        self._progress: Progress | None = None
        self._failure: tuple[FailureReason, str] | None = None
        self._cancelled = False
        self._elapsed = 0.0
        self._advanced_at = 0.0

    @property
    def should_stop(self) -> bool:
        """Whether to stop the program: it violated a limit or the contract, or was cancelled."""
        return self._failure is not None or self._cancelled

    def on_stdout(self, block: bytes) -> None:
        """Consume a block of stdout."""
        self._received += len(block)
        # Only the block is searched: a long line arrives in many of them.
        first, *others = block.split(b"\n")
        self._line += first
        lines: list[bytes] = []
        if others:
            *complete, incomplete = others
            lines = [bytes(self._line), *complete]
            self._line = bytearray(incomplete)
        try:
            for line in lines:
                self._note(self._reader.feed(line))
                if self._sink:
                    self._sink(line)
        except ContractError as error:
            self.stop(FailureReason.INVALID_RESULT, str(error))
        if self._received > self._limits.output_bytes or len(self._line) > MAX_LINE_BYTES:
            limit = self._limits.output_bytes
            message = f"the output exceeds {limit} bytes or a line exceeds {MAX_LINE_BYTES} bytes"
            self.stop(FailureReason.INVALID_RESULT, message)

    def _note(self, progress: Progress | None) -> None:
        """Remember progress, and when the run last advanced: any other record counts as well."""
        before = self._progress.simulated_ns if self._progress else -1
        if progress is None or progress.simulated_ns > before:
            self._advanced_at = self._elapsed
        self._progress = progress or self._progress

    def on_stderr(self, block: bytes) -> None:
        """Consume a block of stderr; only the last STDERR_BYTES are kept."""
        self._stderr += block
        if len(self._stderr) > 2 * STDERR_BYTES:
            del self._stderr[:-STDERR_BYTES]

    def tick(self, elapsed: float) -> None:
        """Check the time limit and report progress; call this a few times a second.

        ``elapsed`` is the wall-clock time since the start in seconds.
        """
        self.check_time(elapsed)
        began = time.monotonic()
        self._cancelled = self._cancelled or not self._on_progress(self._progress)
        # While the callback waits, nothing is read: that is not the simulator's stall.
        self._advanced_at += time.monotonic() - began

    def check_time(self, elapsed: float) -> None:
        """Stop the run if its wall-clock limit has passed, or it has stalled."""
        self._elapsed = elapsed
        stall = self._limits.stall_seconds
        if elapsed - self._advanced_at > stall:
            at = self._progress.simulated_ns / 1e9 if self._progress else 0
            message = f"no simulated progress for {stall:g} s of wall-clock time, at {at:g} s"
            self.stop(FailureReason.STALLED, message)
        limit = self._limits.wall_seconds
        if elapsed > limit:
            message = f"exceeded the wall-clock limit of {limit:g} s"
            self.stop(FailureReason.TIMED_OUT, message)

    def memory_exceeded(self) -> None:
        """Stop the run for exceeding its memory limit."""
        self.stop(FailureReason.OUT_OF_MEMORY, self._memory_message())

    def stop(self, reason: FailureReason, message: str) -> None:
        """Stop the run as failed; the first reason wins."""
        if self._failure is None:
            self._failure = reason, message

    def outcome(self, exit_status: ExitStatus, wall_seconds: float) -> Outcome:
        """The execution's outcome, after the program has exited."""
        stderr = self._stderr[-STDERR_BYTES:].decode(errors="replace")
        if self._cancelled:
            return Cancelled(stderr, wall_seconds)
        if self._failure is None and exit_status.out_of_memory:
            self.memory_exceeded()
        if self._failure is not None:
            return Failed(stderr, wall_seconds, *self._failure)
        if exit_status.exit_code in (-signal.SIGKILL, -signal.SIGTERM):
            name = signal.Signals(-exit_status.exit_code).name
            message = f"the simulator was killed from outside ({name})"
            return Lost(stderr, wall_seconds, message)
        return self._classify_exit(exit_status, stderr, wall_seconds)

    def _classify_exit(self, exit_status: ExitStatus, stderr: str, wall_seconds: float) -> Outcome:
        """Succeeded or Failed, for an execution that was not stopped."""
        result = self._reader.result
        if exit_status.exit_code != 0:
            message = _crash_message(exit_status.exit_code, stderr)
            return Failed(stderr, wall_seconds, FailureReason.SIM_CRASHED, message)
        if result is None or self._line:
            message = "the record stream ended without a 'finished' record"
            return Failed(stderr, wall_seconds, FailureReason.INVALID_RESULT, message)
        if result.broken_checks:
            broken = "; ".join(f"{check.name}: {check.detail}" for check in result.broken_checks)
            reason = FailureReason.INVARIANT_BROKEN
            return Failed(stderr, wall_seconds, reason, broken[:REASON_CHARACTERS])
        return Succeeded(stderr, wall_seconds, result)

    def _memory_message(self) -> str:
        return f"exceeded the memory limit of {self._limits.memory_bytes / 2**20:.0f} MiB"


def _crash_message(exit_code: int, stderr: str) -> str:
    status = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
    lines = [stripped for line in stderr.splitlines() if (stripped := line.strip())]
    reasons = [line for line in lines if line not in _AFTER_THE_REASON] or lines
    reason = f": {reasons[-1][:REASON_CHARACTERS]}" if reasons else ""
    return f"the simulator exited with {status}{reason}"
