"""The simulators that this host can execute."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windtunnel.errors import WindtunnelError
from windtunnel.simulator import describe
from windtunnel.spec.description import Description
from windtunnel.store.simulators import Offer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class InstalledSimulator:
    """A program that speaks the sim image contract."""

    program: Path
    description: Description
    installed_at: datetime

    @property
    def offer(self) -> Offer:
        return Offer(self.description, self.installed_at)


def installed_simulators(folder: Path) -> dict[str, InstalledSimulator]:
    """Simulators under NAME/BUILD/PROGRAM by the digest that they report now, not by their folder.

    A library of the system may have changed since a build was installed; the digest says so.
    """
    found: dict[str, InstalledSimulator] = {}
    for program in sorted(folder.glob("*/*/*")):
        if program.is_file() and os.access(program, os.X_OK):
            installed_at = datetime.fromtimestamp(program.parent.stat().st_mtime, UTC)
            try:
                simulator = InstalledSimulator(program, describe([str(program)]), installed_at)
            except WindtunnelError as error:
                log.warning("%s is not offered: %s", program, error)
                continue
            found[simulator.description.digest] = simulator
    return found
