"""The simulators that this host can execute, whatever launches them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from windtunnel.errors import WindtunnelError
from windtunnel.simulator import Launcher, ProcessLauncher, describe
from windtunnel.spec.description import Description
from windtunnel.store.simulators import Offer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OfferedSimulator:
    """A program that speaks the sim image contract, and how it is launched.

    ``image`` is the OCI digest or image id, None for a program on this host. ``launcher`` is given
    labels that say what is executed.
    """

    description: Description
    installed_at: datetime
    image: str | None
    launcher: Callable[[Mapping[str, str]], Launcher]

    @property
    def offer(self) -> Offer:
        return Offer(self.description, self.installed_at)


class Offers(Protocol):
    """What can be executed right now, by simulator digest."""

    def now(self) -> dict[str, OfferedSimulator]: ...


class InstalledPrograms:
    """Simulators under NAME/BUILD/PROGRAM by the digest that they report now, not by their folder.

    A library of the system may have changed since a build was installed; the digest says so. They
    are looked for once: a new build is offered by a new worker.
    """

    def __init__(self, folder: Path) -> None:
        self._found: dict[str, OfferedSimulator] = {}
        for program in sorted(folder.glob("*/*/*")):
            if program.is_file() and os.access(program, os.X_OK):
                self._add(program)

    def now(self) -> dict[str, OfferedSimulator]:
        return self._found

    def _add(self, program: Path) -> None:
        installed_at = datetime.fromtimestamp(program.parent.stat().st_mtime, UTC)
        command = [str(program)]
        try:
            description = describe(command)
        except WindtunnelError as error:
            log.warning("%s is not offered: %s", program, error)
            return
        self._found[description.digest] = OfferedSimulator(
            description, installed_at, None, lambda _: ProcessLauncher(command, description)
        )
