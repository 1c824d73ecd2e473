"""Long commands that report how far they are."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

MessageCallback = Callable[[str], None]
INTERVAL_SECONDS = 10.0
_TICK_SECONDS = 1.0


class Progress:
    """How far a long step is: one updating line on a terminal, else a message now and then."""

    def __init__(
        self,
        step: str,
        on_message: MessageCallback,
        terminal: TextIO | None = None,
        interval: float = INTERVAL_SECONDS,
    ) -> None:
        self._step = step
        self._on_message = on_message
        self._terminal = terminal or (sys.stderr if sys.stderr.isatty() else None)
        self._interval = interval
        self._state = ""
        self._started_at = self._printed_at = time.monotonic()

    def update(self, state: str) -> None:
        """Set the state, such as ``17 of 90 steps (19 %)``."""
        self._state = state
        self.tick()

    def tick(self) -> None:
        """Show state and time if it is due."""
        now = time.monotonic()
        parts = (self._state, f"{now - self._started_at:.0f} s")
        text = f"{self._step}: {', '.join(filter(None, parts))}"
        if self._terminal:
            self._terminal.write(f"\r{text}\x1b[K")
            self._terminal.flush()
        elif now - self._printed_at >= self._interval:
            self._printed_at = now
            self._on_message(text)

    def clear(self) -> None:
        """Remove the updating line."""
        if self._terminal:
            self._terminal.write("\r\x1b[K")
            self._terminal.flush()


def run_with_progress(
    command: Sequence[str], progress: Progress, state_of: Callable[[str], str | None]
) -> tuple[int, list[str]]:
    """Run a command and return its exit code and its output without lines on progress.

    ``state_of`` turns such a line into a state, and any other line into None.
    """
    output: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            for line in _lines(process, progress.tick):
                state = state_of(line)
                if state is None:
                    output.append(line)
                else:
                    progress.update(state)
        except BaseException:
            process.terminate()
            raise
        finally:
            progress.clear()
    return process.returncode, output


def share(done: int, total: int) -> str:
    """Percentage in a state: ``19 %``."""
    return f"{100 * done // total if total else 0} %"


def _lines(process: subprocess.Popen[bytes], on_tick: Callable[[], None]) -> Iterator[str]:
    """Lines of the output; ``on_tick`` is called while there are none."""
    assert process.stdout is not None
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(_TICK_SECONDS):
                on_tick()
                continue
            block = os.read(process.stdout.fileno(), 1 << 16)
            if not block:
                break
            *complete, rest = (rest + block).split(b"\n")
            yield from (line.decode(errors="replace") for line in complete)
    if rest:
        yield rest.decode(errors="replace")
