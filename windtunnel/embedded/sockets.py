"""The folder of a service's Unix sockets."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import tempfile
import time
from pathlib import Path

from windtunnel.embedded.service_lock import ServiceLock, is_locked

_PREFIX = "windtunnel-sockets-"
_LOCK = "lock"
_LONGEST_NAME = "pg/.s.PGSQL.5432"
# Other characters have a meaning in the URLs of PostgreSQL and Redis.
_PLAIN = re.compile(r"[A-Za-z0-9._/~-]+")
# Between the creation of a folder and its lock: others must not remove it.
_SETTLED_SECONDS = 60.0


class SocketsFolder:
    """In the data folder, or in the temporary folder if sockets are not possible there.

    They are not if the path is longer than 107 bytes or has unusual characters, or on some network
    filesystems. A folder in the temporary folder has a lock, which its service holds.
    """

    def __init__(self, in_data: Path) -> None:
        self._in_data = in_data
        self._path: Path | None = None
        self._lock: ServiceLock | None = None

    def create(self) -> Path:
        """Create the folder, empty. Only for the holder of the data folder's lock.

        Also removes what killed services have left in the temporary folder.
        """
        _sweep(Path(tempfile.gettempdir()))
        _delete(self._in_data)
        self._path = self._in_data
        self._path.mkdir(mode=0o700)
        if not _takes_sockets(self._path):
            _delete(self._path)
            self._path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._lock = ServiceLock(self._path / _LOCK)
            self._lock.acquire()
        if os.geteuid() == 0:
            self._path.chmod(0o711)  # PostgreSQL does not run as root
        return self._path

    def remove(self) -> None:
        """Idempotent."""
        if self._path is not None:
            _delete(self._path)
        if self._lock is not None:
            self._lock.release()


def _takes_sockets(folder: Path) -> bool:
    path = folder / _LONGEST_NAME.replace("/", "-")
    if not _PLAIN.fullmatch(str(path)):
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.bind(str(path))
        except OSError:
            return False
    path.unlink()
    return True


def _sweep(temporary: Path) -> None:
    """Remove this user's folders whose service is dead: their lock is free."""
    for folder in temporary.glob(f"{_PREFIX}*"):
        lock = folder / _LOCK
        with contextlib.suppress(OSError):
            settled = time.time() - lock.stat().st_mtime > _SETTLED_SECONDS
            mine = folder.lstat().st_uid == os.geteuid() and not folder.is_symlink()
            if settled and mine and not is_locked(lock):
                _delete(folder)


def _delete(path: Path) -> None:
    """Delete a folder, or the file that earlier versions had in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
