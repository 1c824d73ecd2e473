"""Commands whose process is killed when its parent dies."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from windtunnel.simulator.bound_child import bound_command

_STARTER = """
import subprocess, sys, time
from windtunnel.simulator.bound_child import bound_command
child = subprocess.Popen(bound_command(["sleep", "60"]), start_new_session=True)
print(child.pid, flush=True)
time.sleep(60)
"""


def test_the_child_dies_with_its_parent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _STARTER], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        child = Path(f"/proc/{int(parent.stdout.readline())}")
        deadline = time.monotonic() + 10
        while "sleep" not in (child / "comm").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        parent.kill()
        parent.wait()
    while child.exists() and "Z" not in (child / "stat").read_text().rsplit(")", 1)[1]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_child_of_a_parent_that_died_before_the_signal_was_set_exits() -> None:
    command = bound_command(["echo", "alive"])
    other_parent = subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", *command], capture_output=True, check=False
    )
    assert (other_parent.returncode, other_parent.stdout) == (1, b"")
    assert subprocess.run(command, capture_output=True, check=False).stdout == b"alive\n"


def test_limits_and_signal_are_set_in_the_program_itself() -> None:
    limits = Path("/proc/self/limits")
    command = bound_command(["cat", str(limits)], signal.SIGINT, ["-n 77", "-c 0"])
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = {line[:25].strip(): line[25:].split() for line in text.splitlines()}
    assert rows["Max open files"][:2] == ["77", "77"]
    assert rows["Max core file size"][:2] == ["0", "0"]


def test_what_cannot_be_executed_is_an_error_at_once(tmp_path: Path) -> None:
    file = tmp_path / "program"
    for content, mode, code in [
        (None, 0, errno.ENOENT),
        ("#!/bin/sh", 0o644, errno.EACCES),
        ("echo a shell would run this", 0o755, errno.ENOEXEC),
    ]:
        if content is not None:
            file.write_text(content)
            file.chmod(mode)
        with pytest.raises(OSError, match=str(file)) as error:
            bound_command([str(file)])
        assert error.value.errno == code


def test_no_process_is_started_with_a_function_between_fork_and_exec() -> None:
    """It may deadlock where threads exist."""
    for path in [*(ROOT / "windtunnel").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]:
        assert "preexec_fn=" not in path.read_text(encoding="utf-8"), path
