"""Simulators that are installed as programs under NAME/BUILD/PROGRAM."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windtunnel.errors import WindtunnelError
from windtunnel.simulator.process import describe
from windtunnel.spec.description import Description

log = logging.getLogger(__name__)

_ASK_AGAIN_SECONDS = 60.0
# What tells a file from the one that was there before: times in ns, size, inode.
Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class InstalledSimulator:
    """One installed build: its program, what it describes, when it was installed and compiled."""

    program: Path
    description: Description
    installed_at: datetime
    built_at: datetime


class InstalledSimulators:
    """The builds in a folder by the digest that they report, not by the name of their folder.

    A library of the system may have changed since a build was installed; its digest says so. A
    program is asked once, and again when it has changed. One that does not start is left out, and
    asked again after a while.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[Path, tuple[Stamp, InstalledSimulator | None]] = {}
        self._ask_again: dict[Path, float] = {}

    def now(self) -> dict[str, InstalledSimulator]:
        """What is installed at this moment, by simulator digest."""
        stamps = {program: _stamp(program) for program in sorted(self._folder.glob("*/*/*"))}
        self._found = {
            program: self._look_at(program, stamp) for program, stamp in stamps.items() if stamp
        }
        return {
            found.description.digest: found
            for _, found in self._found.values()
            if found is not None
        }

    def newest(self) -> dict[str, InstalledSimulator]:
        """The build of each name that was installed last, by name."""
        builds = sorted(self.now().values(), key=lambda one: one.installed_at)
        newest = {one.description.name: one for one in builds}
        return {name: newest[name] for name in sorted(newest)}

    def _look_at(self, program: Path, stamp: Stamp) -> tuple[Stamp, InstalledSimulator | None]:
        known = self._found.get(program)
        rests = time.monotonic() < self._ask_again.get(program, 0.0)
        if known and known[0] == stamp and (known[1] is not None or rests):
            return known
        found = _ask(program)
        if found is None:
            self._ask_again[program] = time.monotonic() + _ASK_AGAIN_SECONDS
        return stamp, found


def _stamp(program: Path) -> Stamp | None:
    """None for what can't be a simulator, a half-copied one included."""
    try:
        found, folder = program.stat(), program.parent.stat()
    except OSError:
        return None
    if program.name.startswith(".") or not program.is_file() or not os.access(program, os.X_OK):
        return None
    return folder.st_mtime_ns, found.st_mtime_ns, found.st_size, found.st_ino


def _ask(program: Path) -> InstalledSimulator | None:
    try:
        description = describe([str(program)])
        installed, built = program.parent.stat().st_mtime, program.stat().st_mtime
    except (WindtunnelError, OSError) as error:
        log.warning("%s is not offered: %s", program, error)
        return None
    return InstalledSimulator(
        program,
        description,
        datetime.fromtimestamp(installed, UTC),
        datetime.fromtimestamp(built, UTC),
    )
