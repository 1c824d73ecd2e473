"""Files that replace their target once they are complete."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.answers import incast
from windtunnel.cli import report
from windtunnel.errors import ConflictError, RefusedError
from windtunnel.plot import PlotRequest, draw, save
from windtunnel.targets import Sink, replacing


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_after(file: Sink, data: bytes) -> None:
    file.write(data)
    raise KeyError


def test_a_failure_keeps_the_target_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")
    with pytest.raises(KeyError), replacing(target) as file:
        fail_after(file, b"new")
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_the_file_behind_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    real, link, second = tmp_path / "data" / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"
    real.write_text("old")
    link.symlink_to("data/a.csv")
    second.symlink_to(link)
    with pytest.raises(KeyError), replacing(second):
        raise KeyError
    assert real.read_text() == "old"
    with replacing(second) as file:
        file.write(b"new")
        assert real.read_text() == "old"
    assert real.read_text() == "new"
    assert link.is_symlink()
    assert second.is_symlink()


def test_a_link_to_nothing_creates_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to("real.json")
    report.write_text(str(link), "{}")
    assert (tmp_path / "real.json").read_text() == "{}"
    link.unlink()
    link.symlink_to("missing/real.json")
    with pytest.raises(RefusedError, match=r"links to missing/real\.json, whose folder does not"):
        report.check_target(str(link))


def test_a_pipe_is_opened_with_the_first_bytes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(KeyError), replacing(pipe):  # nobody reads: opening it would wait
        raise KeyError
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as file:
        file.write(b"rows")
    reader.join(10)
    assert got == [b"rows"]
    assert pipe.is_fifo()


def test_an_open_file_is_written_where_it_is(tmp_path: Path) -> None:
    """``-o /dev/stdout > file``: the shell has the file open."""
    with (tmp_path / "out").open("wb") as file:
        code = "from windtunnel.targets import replacing\n"
        code += "with replacing('/dev/stdout') as f: f.write(b'rows')"
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        assert os.path.samestat(os.fstat(file.fileno()), (tmp_path / "out").stat())
    assert (tmp_path / "out").read_bytes() == b"rows"


def test_what_a_killed_process_left_is_taken_over(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    code = (
        "import os, sys\nfrom windtunnel.targets import replacing\n"
        "with replacing(sys.argv[1]) as f:\n    f.write(b'x' * 10**5)\n    os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, target], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert names(tmp_path) == [".a.csv.part"]
    with replacing(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["a.csv"]


def test_two_writers_of_one_target(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    with replacing(target) as file:
        file.write(b"first")
        refused = pytest.raises(ConflictError, match=r"a\.csv: another process is writing this")
        with refused, replacing(target):
            pass
    assert target.read_bytes() == b"first"


@pytest.fixture
def small_disk() -> Iterator[None]:
    """No file may grow beyond 4 KiB; a full disk gives another error at the same place."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_a_figure_that_does_not_fit_keeps_the_old_one(
    tmp_path: Path, small_disk: None, suffix: str
) -> None:
    target = tmp_path / f"figure.{suffix}"
    target.write_bytes(b"old")
    figure = draw(incast().get, "504d", PlotRequest())
    with pytest.raises(OSError, match=rf"File too large: '{target}'"):
        save(figure, target)
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == [target.name]
