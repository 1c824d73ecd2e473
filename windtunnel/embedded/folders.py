"""The data folder: binaries, simulators, and the data of PostgreSQL and Redis."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import UnavailableError


def default_data() -> Path:
    """``WINDTUNNEL_DATA`` if set, else /var/lib/windtunnel for root or a folder in $HOME."""
    if folder := os.environ.get("WINDTUNNEL_DATA"):
        return Path(folder)
    return standard_data()


def standard_data() -> Path:
    """The data folder where nothing names another one."""
    if os.geteuid() == 0:
        return Path("/var/lib/windtunnel")
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "windtunnel"


@dataclass(frozen=True)
class Folders:
    """Paths inside a data folder. Simulators find their libraries by these relative paths."""

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
        """File with the address of the running service."""
        return self.data / "address"

    @property
    def token(self) -> Path:
        """File with the token of the data folder's owner."""
        return self.data / "token"

    @property
    def sockets(self) -> Path:
        """Folder of the running service's Unix sockets (windtunnel.embedded.sockets)."""
        return self.data / "sockets"

    def create(self, on_message: Callable[[str], None] = lambda _: None) -> None:
        """Create the folders. Raises UnavailableError if the data folder is not usable."""
        if not self.data.exists():
            on_message(f"creating the data folder {self.data}")
        try:
            for folder in (self.binaries, self.simulators, self.builds, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"cannot create the data folder {self.data}: {error.strerror}"
            raise UnavailableError(f"{message}; choose another with --data") from error
        if os.geteuid() == 0:
            self._check_accessible()

    def _check_accessible(self) -> None:
        """Check that other users can access the folder: PostgreSQL does not run as root."""
        for folder in (self.data, *self.data.parents):
            if not folder.stat().st_mode & 0o001:
                raise UnavailableError(
                    f"other users cannot access {folder}, but PostgreSQL does not run as root: "
                    f"choose another data folder with --data such as {standard_data()}"
                )
