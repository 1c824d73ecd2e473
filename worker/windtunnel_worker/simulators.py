"""The simulators that this host can execute, independent of the launcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from windtunnel.simulator import InstalledSimulator, InstalledSimulators, Launcher, ProcessLauncher
from windtunnel.spec.description import Description
from windtunnel.store.simulators import AvailableBuild


@dataclass(frozen=True)
class AvailableSimulator:
    """A simulator that follows the sim image contract, and how to launch it.

    ``image`` is the OCI digest or image id, or None for a program on this host. ``launcher``
    creates a launcher from labels that identify the execution.
    """

    description: Description
    installed_at: datetime
    built_at: datetime | None
    image: str | None
    launcher: Callable[[Mapping[str, str]], Launcher]

    @property
    def build(self) -> AvailableBuild:
        return AvailableBuild(self.description, self.installed_at, self.built_at)


class SimulatorRegistry(Protocol):
    """Provides the simulators available now, by digest."""

    def now(self) -> dict[str, AvailableSimulator]: ...


class InstalledPrograms:
    """Simulators installed as programs; new builds are detected at every call."""

    def __init__(self, folder: Path) -> None:
        self._installed = InstalledSimulators(folder)

    def now(self) -> dict[str, AvailableSimulator]:
        return {
            digest: _available(simulator) for digest, simulator in self._installed.now().items()
        }


def _available(simulator: InstalledSimulator) -> AvailableSimulator:
    return AvailableSimulator(
        simulator.description,
        simulator.installed_at,
        simulator.built_at,
        None,
        lambda _: ProcessLauncher([str(simulator.program)], simulator.description),
    )
