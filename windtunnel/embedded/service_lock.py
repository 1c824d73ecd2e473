"""The lock of a data folder: at most one service runs on it.

An open file description lock (fcntl(2)): the kernel releases it when the service exits for any
reason, and others can ask for its holder without taking it, so asking never disturbs a service
that is just starting. Its file is in the data folder and is never deleted.
"""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path
from typing import IO

# struct flock: type, whence, start, length, pid (0 is required); native alignment, padded.
_FLOCK = "@hhqqi0q"


class ServiceLock:
    """The lock in a file. Released by ``release`` or when the process exits."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def acquire(self) -> bool:
        """Take the lock. Returns whether it was free."""
        self._file = self._path.open("a")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the only lock of version 0.1
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK))
        except BlockingIOError:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Idempotent."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def is_in_place(self) -> bool:
        """Whether the held lock's file is still at its path: false if the folder was moved."""
        assert self._file is not None
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except OSError:
            return False


def is_locked(path: Path) -> bool:
    """Whether a service holds the lock. Takes no lock itself."""
    try:
        with path.open("r") as file:
            answer = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _request(fcntl.F_WRLCK))
    except OSError:
        return False
    kind: int = struct.unpack(_FLOCK, answer)[0]
    return kind != fcntl.F_UNLCK


def _request(kind: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, 0, 0, 0)
