"""Progress of a campaign in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

_BAR_CHARACTERS = 30


class ProgressDisplay(Protocol):
    """Shows a campaign's progress until it is closed."""

    def update(self, campaign: Mapping[str, Any]) -> None: ...

    def message(self, text: str) -> None: ...

    def close(self) -> None: ...


@contextmanager
def progress_display(name: str, enabled: bool) -> Iterator[ProgressDisplay]:
    """A display that fits where the program runs: nothing if it is not ``enabled``."""
    display: ProgressDisplay = _Silent()
    if enabled:
        display = _NotebookLine(name) if _in_notebook() else _TerminalBar(name)
    try:
        yield display
    finally:
        display.close()


def progress_text(name: str, campaign: Mapping[str, Any], seconds: float) -> str:
    """``incast  ███████░░░  28/40 runs, 1 failed  12 s``."""
    runs = campaign["runs"]
    ended = runs["succeeded"] + runs["failed"] + runs["cancelled"]
    total = max(1, sum(runs.values()))
    filled = _BAR_CHARACTERS * ended // total
    bar = "█" * filled + "░" * (_BAR_CHARACTERS - filled)
    counts = [f"{ended}/{total} runs"]
    counts += [f"{runs[state]} {state}" for state in ("failed", "cancelled") if runs[state]]
    return f"{name}  {bar}  {', '.join(counts)}  {seconds:.0f} s"


class _Silent:
    def update(self, campaign: Mapping[str, Any]) -> None:
        pass

    def message(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class _TerminalBar:
    """One line on stderr, drawn again in place; a line at the end if that is no terminal."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begin = time.monotonic()
        self._last = ""

    def update(self, campaign: Mapping[str, Any]) -> None:
        self._last = progress_text(self._name, campaign, time.monotonic() - self._begin)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[2K{self._last}")
            sys.stderr.flush()

    def message(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}\n" if sys.stderr.isatty() else f"{text}\n")

    def close(self) -> None:
        if self._last:
            sys.stderr.write("\n" if sys.stderr.isatty() else f"{self._last}\n")


class _NotebookLine:
    """One output of the cell, replaced at every change."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begin = time.monotonic()
        self._handle: Any = None

    def update(self, campaign: Mapping[str, Any]) -> None:
        self._show(progress_text(self._name, campaign, time.monotonic() - self._begin))

    def message(self, text: str) -> None:
        self._show(f"{self._name}  {text}")

    def close(self) -> None:
        pass

    def _show(self, text: str) -> None:
        from IPython.display import display

        bundle = {"text/plain": text}
        if self._handle is None:
            show: Any = display
            self._handle = show(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


def _in_notebook() -> bool:
    """Whether this is a kernel of Jupyter, not a terminal, even of IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")
