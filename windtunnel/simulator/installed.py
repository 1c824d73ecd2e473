"""Simulators installed as programs at NAME/BUILD/PROGRAM."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windtunnel.errors import ContractError, WindtunnelError
from windtunnel.simulator.process import describe
from windtunnel.spec.description import Description

log = logging.getLogger(__name__)

_RETRY_SECONDS = 60.0
# Detects a replaced file: modification times of folder and file in ns, size, inode.
Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class InstalledSimulator:
    """One installed build: program, description, and times of installation and compilation."""

    program: Path
    description: Description
    installed_at: datetime
    built_at: datetime


class InstalledSimulators:
    """The builds in a folder, by the digest that they report.

    The reported digest, not the folder's name, is authoritative: it also covers system libraries
    that changed after the installation. Descriptions are cached until the program changes. A
    program that does not start is left out and retried after a delay.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cache: dict[Path, tuple[Stamp, InstalledSimulator | None]] = {}
        self._retry_at: dict[Path, float] = {}

    def now(self) -> dict[str, InstalledSimulator]:
        """The simulators installed now, by digest."""
        stamps = {program: _stamp(program) for program in sorted(self._folder.glob("*/*/*"))}
        self._cache = {
            program: self._inspect(program, stamp) for program, stamp in stamps.items() if stamp
        }
        return {
            simulator.description.digest: simulator
            for _, simulator in self._cache.values()
            if simulator is not None
        }

    def newest(self) -> dict[str, InstalledSimulator]:
        """The most recently installed build of each simulator, by name."""
        builds = sorted(self.now().values(), key=lambda build: build.installed_at)
        newest = {build.description.name: build for build in builds}
        return {name: newest[name] for name in sorted(newest)}

    def _inspect(self, program: Path, stamp: Stamp) -> tuple[Stamp, InstalledSimulator | None]:
        cached = self._cache.get(program)
        waiting = time.monotonic() < self._retry_at.get(program, 0.0)
        if cached and cached[0] == stamp and (cached[1] is not None or waiting):
            return cached
        simulator = _describe(program)
        if simulator is None:
            self._retry_at[program] = time.monotonic() + _RETRY_SECONDS
        return stamp, simulator


def _stamp(program: Path) -> Stamp | None:
    """The program's stamp; None if it can't be a simulator, or is still being copied."""
    try:
        file, folder = program.stat(), program.parent.stat()
    except OSError:
        return None
    if program.name.startswith(".") or not program.is_file() or not os.access(program, os.X_OK):
        return None
    return folder.st_mtime_ns, file.st_mtime_ns, file.st_size, file.st_ino


def _describe(program: Path) -> InstalledSimulator | None:
    try:
        description = describe([str(program)])
        installed, built = program.parent.stat().st_mtime, program.stat().st_mtime
    except (WindtunnelError, OSError) as error:
        # What an upgrade leaves behind is no surprise; what is broken is.
        outdated = isinstance(error, ContractError) and error.outdated
        log.log(logging.INFO if outdated else logging.WARNING, "skipping %s: %s", program, error)
        return None
    return InstalledSimulator(
        program,
        description,
        datetime.fromtimestamp(installed, UTC),
        datetime.fromtimestamp(built, UTC),
    )
