"""The lock of a data folder."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

from windtunnel.embedded.service_lock import ServiceLock, is_locked


def test_only_one_holder_and_free_after_release(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not is_locked(path)
    first, second = ServiceLock(path), ServiceLock(path)
    assert first.acquire()
    assert is_locked(path)
    assert not second.acquire()
    first.release()
    assert not is_locked(path)
    assert second.acquire()


def test_a_service_of_version_0_1_holds_the_lock_too(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("a") as older:
        fcntl.flock(older, fcntl.LOCK_EX)
        assert not ServiceLock(tmp_path / "lock").acquire()


def test_asking_for_the_holder_never_makes_a_start_fail(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            is_locked(path)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(500):
            lock = ServiceLock(path)
            assert lock.acquire()
            lock.release()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_moved_folder_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    lock = ServiceLock(folder / "lock")
    assert lock.acquire()
    assert lock.is_in_place()
    folder.rename(tmp_path / "moved")
    assert not lock.is_in_place()
    folder.mkdir()
    (folder / "lock").touch()
    assert not lock.is_in_place()
