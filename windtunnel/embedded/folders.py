"""The data folder: where binaries, simulators, PostgreSQL's and Redis' data live."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import UnavailableError


def default_data() -> Path:
    """``WINDTUNNEL_DATA``, or /var/lib/windtunnel for root, or a folder in the user's home."""
    if named := os.environ.get("WINDTUNNEL_DATA"):
        return Path(named)
    if os.geteuid() == 0:
        return Path("/var/lib/windtunnel")
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "windtunnel"


@dataclass(frozen=True)
class Folders:
    """Parts of a data folder. Simulators find their libraries by these names, relative to them."""

    data: Path

    @property
    def binaries(self) -> Path:
        return self.data / "binaries"

    @property
    def simulators(self) -> Path:
        return self.data / "simulators"

    @property
    def builds(self) -> Path:
        return self.data / "build"

    @property
    def postgres(self) -> Path:
        return self.data / "postgres-18"

    @property
    def redis(self) -> Path:
        return self.data / "redis"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def lock(self) -> Path:
        return self.data / "lock"

    @property
    def address(self) -> Path:
        """Holds the running service's address."""
        return self.data / "address"

    def create(self) -> None:
        """Make the folder. Raises UnavailableError where it can't be used, saying why."""
        try:
            for folder in (self.binaries, self.simulators, self.builds, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"the data folder {self.data} can't be made: {error.strerror}"
            raise UnavailableError(f"{message}; name another one with --data") from error
        if os.geteuid() == 0:
            self._check_reachable()

    def _check_reachable(self) -> None:
        """PostgreSQL refuses root, so that another user must be able to walk down to its data."""
        for folder in (self.data, *self.data.parents):
            if not folder.stat().st_mode & 0o001:
                raise UnavailableError(
                    f"{folder} is closed to other users, and PostgreSQL does not run as root: "
                    f"name a data folder elsewhere with --data (the default is {default_data()})"
                )
