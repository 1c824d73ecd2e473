"""Selects the launcher configured in the settings."""

from __future__ import annotations

from pathlib import Path

from windtunnel.settings import Settings
from windtunnel_worker.docker_host import DockerHost
from windtunnel_worker.docker_launcher import INSTALLATION, WORKER, DockerImages
from windtunnel_worker.simulators import InstalledPrograms, SimulatorRegistry

LAUNCHERS = ("process", "docker")


def available_simulators(settings: Settings, worker: str, installation: str) -> SimulatorRegistry:
    """The simulators that this host can execute. Raises ValueError for an unknown launcher."""
    if settings.launcher == "process":
        return InstalledPrograms(Path(settings.simulators))
    if settings.launcher == "docker":
        labels = {INSTALLATION: installation, WORKER: worker}
        return DockerImages(DockerHost(), settings, labels)
    raise ValueError(
        f"WINDTUNNEL_LAUNCHER is {settings.launcher!r}; must be {' or '.join(LAUNCHERS)}"
    )
