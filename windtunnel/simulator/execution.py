"""What every launcher does with a simulator, however it started it: limits, records, outcome.

A simulator that fails is a result; an executor that fails (the program was killed by somebody else)
is to be tried again. Outcome keeps the two apart.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from windtunnel.errors import ContractError
from windtunnel.result import RunResult
from windtunnel.run import FailureReason
from windtunnel.simulator.reader import MAX_LINE_BYTES, Progress, StreamReader
from windtunnel.spec.description import Description

STDERR_BYTES = 64 * 1024


@dataclass(frozen=True)
class Limits:
    """What one run may take."""

    wall_seconds: float = 3600
    memory_bytes: int = 4 * 2**30
    output_bytes: int = 256 * 2**20
    file_bytes: int = 0  # a run writes none; a packet capture does


@dataclass(frozen=True)
class Outcome:
    """How an execution ended: with a result, a failure, or neither (cancelled, executor lost)."""

    result: RunResult | None
    failure: FailureReason | None
    message: str
    stderr: str
    wall_seconds: float
    cancelled: bool = False
    executor_lost: bool = False


@dataclass(frozen=True)
class Ending:
    """How the program itself ended; a negative exit code is that of a signal."""

    exit_code: int
    out_of_memory: bool = False


# Called with the newest progress about every quarter of a second; False ends the run.
Watch = Callable[[Progress | None], bool]
# Called with every record line as the simulator printed it.
LineSink = Callable[[bytes], None]


class Launcher(Protocol):
    """Executes runs of one simulator."""

    def run(
        self,
        spec: Mapping[str, Any],
        limits: Limits,
        watch: Watch | None = None,
        sink: LineSink | None = None,
    ) -> Outcome:
        """Execute a run spec to its end. Never raises for what the simulator does."""


class Reception:
    """Takes what one execution prints, notices when it is to be stopped, and says what it was."""

    def __init__(
        self, description: Description, limits: Limits, watch: Watch, sink: LineSink | None = None
    ) -> None:
        self._reader = StreamReader(description)
        self._limits = limits
        self._watch = watch
        self._sink = sink
        self._line = bytearray()
        self._received = 0
        self._stderr = bytearray()
        self._progress: Progress | None = None
        self._failure: FailureReason | None = None
        self._message = ""
        self._cancelled = False

    @property
    def over(self) -> bool:
        """Whether the program is to be stopped, for what it did or because nobody wants it."""
        return self._failure is not None or self._cancelled

    def take_output(self, block: bytes) -> None:
        """Some of its stdout."""
        self._received += len(block)
        self._line += block
        *lines, rest = self._line.split(b"\n")
        self._line = bytearray(rest)
        try:
            for line in lines:
                self._progress = self._reader.feed(bytes(line)) or self._progress
                if self._sink:
                    self._sink(bytes(line))
        except ContractError as error:
            self.stop(FailureReason.INVALID_RESULT, str(error))
        if self._received > self._limits.output_bytes or len(rest) > MAX_LINE_BYTES:
            limit = self._limits.output_bytes
            message = f"more than {limit} bytes of output, or a line without end"
            self.stop(FailureReason.INVALID_RESULT, message)

    def take_stderr(self, block: bytes) -> None:
        """Some of its stderr, of which the end is kept."""
        self._stderr += block
        if len(self._stderr) > 2 * STDERR_BYTES:
            del self._stderr[:-STDERR_BYTES]

    def tick(self, elapsed: float) -> None:
        """To be called a few times a second with the wall-clock seconds since the start."""
        self.check_time(elapsed)
        self._cancelled = self._cancelled or not self._watch(self._progress)

    def check_time(self, elapsed: float) -> None:
        """Stop it if its time is over."""
        limit = self._limits.wall_seconds
        if elapsed > limit:
            message = f"not finished after {limit:g} s of wall-clock time"
            self.stop(FailureReason.TIMED_OUT, message)

    def exceeded_memory(self) -> None:
        """It used more memory than it may."""
        self.stop(FailureReason.OUT_OF_MEMORY, self._memory_message())

    def stop(self, reason: FailureReason, message: str) -> None:
        """The first reason is the one that counts."""
        if self._failure is None:
            self._failure, self._message = reason, message

    def conclude(self, ending: Ending, wall_seconds: float) -> Outcome:
        """What the execution was, now that the program has ended."""
        stderr = self._stderr[-STDERR_BYTES:].decode(errors="replace")
        if self._cancelled:
            return Outcome(None, None, "cancelled", stderr, wall_seconds, cancelled=True)
        if self._failure is None:
            if ending.out_of_memory:
                self.exceeded_memory()
            elif ending.exit_code in (-signal.SIGKILL, -signal.SIGTERM):
                name = signal.Signals(-ending.exit_code).name
                message = f"the simulator was killed from outside ({name})"
                return Outcome(None, None, message, stderr, wall_seconds, executor_lost=True)
            else:
                self._judge(ending, stderr)
        result = None if self._failure else self._reader.result
        return Outcome(result, self._failure, self._message, stderr, wall_seconds)

    def _judge(self, ending: Ending, stderr: str) -> None:
        """An execution that nothing stopped: is it a result?"""
        result = self._reader.result
        if ending.exit_code != 0:
            self.stop(FailureReason.SIM_CRASHED, _crash_message(ending.exit_code, stderr))
        elif result is None or self._line:
            message = "the record stream ended without a 'finished' record"
            self.stop(FailureReason.INVALID_RESULT, message)
        elif result.broken_checks:
            broken = "; ".join(f"{check.name}: {check.detail}" for check in result.broken_checks)
            self.stop(FailureReason.INVARIANT_BROKEN, broken)

    def _memory_message(self) -> str:
        return f"needed more than {self._limits.memory_bytes / 2**20:.0f} MiB of memory"


def _crash_message(exit_code: int, stderr: str) -> str:
    how = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
    last = next((line for line in reversed(stderr.splitlines()) if line.strip()), "")
    return f"the simulator ended with {how}" + (f": {last.strip()[:300]}" if last else "")
