"""The simulators that this host can execute, whatever launches them."""

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
    """A program that speaks the sim image contract, and how it is launched.

    ``image`` is the OCI digest or image id, None for a program on this host. ``launcher`` is given
    labels that say what is executed.
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
    """What can be executed right now, by simulator digest."""

    def now(self) -> dict[str, AvailableSimulator]: ...


class InstalledPrograms:
    """Simulators installed as programs; a new build is noticed at the next look."""

    def __init__(self, folder: Path) -> None:
        self._installed = InstalledSimulators(folder)

    def now(self) -> dict[str, AvailableSimulator]:
        return {digest: _available(one) for digest, one in self._installed.now().items()}


def _available(one: InstalledSimulator) -> AvailableSimulator:
    return AvailableSimulator(
        one.description,
        one.installed_at,
        one.built_at,
        None,
        lambda _: ProcessLauncher([str(one.program)], one.description),
    )
