"""The folder of Unix sockets: in the data folder where possible, and never another service's."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from windtunnel.embedded.sockets import SocketsFolder


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A short path, unlike pytest's tmp_path, with a temporary folder of its own."""
    path = Path(tempfile.mkdtemp(prefix="wt-"))
    (path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path / "tmp"))
    yield path
    shutil.rmtree(path)


def long_path(folder: Path) -> Path:
    data = folder / ("x" * 100)
    data.mkdir()
    return data / "sockets"


def age(path: Path, seconds: float = 3600) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


def test_is_in_the_data_folder_if_the_longest_path_fits(folder: Path) -> None:
    sockets = SocketsFolder(folder / "sockets")
    assert sockets.create() == folder / "sockets"
    assert list((folder / "tmp").iterdir()) == []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "sockets" / "server"))
    assert SocketsFolder(folder / "sockets").create() == folder / "sockets"
    assert list((folder / "sockets").iterdir()) == []  # what a killed service has left is gone
    sockets.remove()
    sockets.remove()
    assert not (folder / "sockets").exists()


@pytest.mark.parametrize("bytes_over", [0, 1])
def test_the_limit_is_107_bytes(folder: Path, bytes_over: int) -> None:
    longest = len("/sockets/pg/.s.PGSQL.5432")
    data = folder / ("x" * (107 - longest - len(str(folder)) - 1 + bytes_over))
    data.mkdir()
    in_data = SocketsFolder(data / "sockets").create() == data / "sockets"
    assert in_data == (bytes_over == 0)


@pytest.mark.parametrize("name", ["a b", "a,b", "100%", "ä", "a+b", "a?b#c"])
def test_unusual_characters_do_not_get_into_urls(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    path = SocketsFolder(folder / name / "sockets").create()
    assert path.parent == folder / "tmp"


def test_the_file_of_an_earlier_version_names_a_folder_that_stays(folder: Path) -> None:
    """In a copied data folder it is the original's, whose service may be running."""
    original = folder / "tmp" / "windtunnel-sockets-original"
    original.mkdir()
    (folder / "sockets").write_text(str(original))
    assert SocketsFolder(folder / "sockets").create() == folder / "sockets"
    assert original.is_dir()


_OWNER = """
import sys, time
from pathlib import Path
from windtunnel.embedded.sockets import SocketsFolder
sockets = SocketsFolder(Path(sys.argv[1]))
print(sockets.create(), flush=True)
time.sleep(60)
"""


def test_a_folder_elsewhere_is_removed_after_its_owner_died_and_not_before(folder: Path) -> None:
    command = [sys.executable, "-c", _OWNER, str(long_path(folder))]
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        path = Path(owner.stdout.readline().strip())
        assert path.parent == folder / "tmp"
        age(path / "lock")
        other = SocketsFolder(folder / "sockets")
        other.create()
        assert path.is_dir()
        owner.kill()
    age(path / "lock", 0)
    other.create()
    assert path.is_dir()  # it may just be about to take its lock
    age(path / "lock")
    other.create()
    assert not path.exists()
