"""Files that are written beside their target and renamed once they are complete."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from windtunnel.errors import ConflictError

_LINKS = 40  # as many as the kernel follows


class Sink(Protocol):
    """What a file is written to."""

    def write(self, data: bytes, /) -> int:
        """Write bytes and return their number."""


@contextmanager
def replacing(target: str | Path) -> Iterator[Sink]:
    """A file that takes the target's place if the block succeeds; otherwise the target is kept.

    Symbolic links are kept: the file that they lead to is replaced. Devices, pipes and everything
    below ``/dev`` and ``/proc`` are written directly, opened with the first bytes. Raises OSError
    with the target's name, ConflictError if another process writes the same target.
    """
    path = Path(target)
    if _is_direct(path):
        with _Direct(path) as sink:
            yield sink
        return
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.part")
    with _named(path):
        file = _claimed(temporary, path)
    try:
        yield _Named(file, path)
        with _named(path):
            file.flush()
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        _close(file)  # and with it the lock


def _is_direct(path: Path) -> bool:
    """Whether renaming would replace a device, a pipe, or a link of the kernel to an open file."""
    for _ in range(_LINKS):
        parts = Path(os.path.normpath(path.absolute())).parts
        special = parts[1:2] in (("dev",), ("proc",)) and parts[1:3] != ("dev", "shm")
        if special and path.exists():
            return True
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _claimed(temporary: Path, path: Path) -> BinaryIO:
    """The locked, empty temporary file; one that a killed process left is taken over."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.fdopen(os.open(temporary, flags, 0o666), "wb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            message = f"{path}: another process is writing this file; wait for it, or name another"
            raise ConflictError(message) from None
        if _is_same(file, temporary):
            file.truncate(0)
            return file
        file.close()  # its writer renamed or removed it meanwhile


def _is_same(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except FileNotFoundError:
        return False


def _close(file: BinaryIO) -> None:
    try:
        file.close()
    except OSError:  # of bytes that a full disk did not take: the write or flush raised it before
        file.close()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors say which file they are about, by the name that the user knows."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


class _Named:
    """A file whose errors have its target's name."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path

    def write(self, data: bytes, /) -> int:
        with _named(self._path):
            return self._file.write(data)


class _Direct:
    """A device or pipe that is opened when the first bytes arrive."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> _Direct:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.write(b"")  # whoever reads the pipe waits for its end
        if self._file is not None:
            with _named(self._path):
                self._file.close()

    def write(self, data: bytes, /) -> int:
        with _named(self._path):
            if self._file is None:
                self._file = self._path.open("wb")
            return self._file.write(data)
