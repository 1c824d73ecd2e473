"""Which launcher this worker uses, as its settings say."""

from __future__ import annotations

from pathlib import Path

from windtunnel.settings import Settings
from windtunnel_worker.docker_host import DockerHost
from windtunnel_worker.docker_launcher import INSTALLATION, WORKER, DockerOffers
from windtunnel_worker.offers import InstalledPrograms, Offers

LAUNCHERS = ("process", "docker")


def offers_of(settings: Settings, worker: str, installation: str) -> Offers:
    """What this host can execute. Raises ValueError for an unknown launcher."""
    if settings.launcher == "process":
        return InstalledPrograms(Path(settings.simulators))
    if settings.launcher == "docker":
        labels = {INSTALLATION: installation, WORKER: worker}
        return DockerOffers(DockerHost(), settings, labels)
    raise ValueError(
        f"WINDTUNNEL_LAUNCHER is {settings.launcher!r}; it is {' or '.join(LAUNCHERS)}"
    )
