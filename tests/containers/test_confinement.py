"""The confinement of a container, checked from inside, one flag at a time."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.simulator import ExitStatus
from windtunnel_worker.docker_host import ContainerLimits, DockerHost, Image

CONTAINER_LIMITS = ContainerLimits(memory_bytes=64 * 2**20, cpus=1, pids=16)
LABELS = {"windtunnel.test": "confinement"}

# Prints what a block of code raises, or what it leaves in `found`.
FRAME = """
import json, os, sys
found = None
try:
{code}
except OSError as error:
    found = error.strerror
print(json.dumps(found))
"""


class Collected:
    def __init__(self) -> None:
        self.output = b""
        self.errors = b""
        self.should_stop = False

    def on_stdout(self, block: bytes) -> None:
        self.output += block

    def on_stderr(self, block: bytes) -> None:
        self.errors += block

    def tick(self, elapsed: float) -> None:
        self.should_stop = elapsed > 30


Look = Callable[[str], Any]


@pytest.fixture(scope="module")
def execute(
    host: DockerHost, image: Callable[[str], Image]
) -> Callable[[str], tuple[ExitStatus, Collected]]:
    def run(code: str) -> tuple[ExitStatus, Collected]:
        collected = Collected()
        exit_status = host.execute(
            image("python"), ["-c", code], b"", CONTAINER_LIMITS, LABELS, collected
        )
        return exit_status, collected

    return run


@pytest.fixture(scope="module")
def look(execute: Callable[[str], tuple[ExitStatus, Collected]]) -> Look:
    """Run a block of code inside; the value it leaves in ``found``, or its error."""

    def run(code: str) -> Any:
        block = textwrap.indent(textwrap.dedent(code).strip(), "    ")
        exit_status, collected = execute(FRAME.format(code=block))
        assert exit_status == ExitStatus(0), collected.errors.decode()
        return json.loads(collected.output)

    return run


def status(look: Look, *names: str) -> dict[str, str]:
    """Lines of /proc/self/status."""
    lines: str = look("found = open('/proc/self/status').read()")
    fields = dict(line.split(":\t", 1) for line in lines.splitlines() if ":\t" in line)
    return {name: fields[name] for name in names}


def test_no_network(look: Look) -> None:
    names = look("found = sorted(os.listdir('/sys/class/net'))")
    assert not [name for name in names if name.startswith(("eth", "veth", "en"))]
    assert "lo" in names
    # What the kernel would answer on a host too: that there is no way to another address.
    reach = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=2)"
    assert look(reach) == "Network is unreachable"


def test_only_a_small_scratch_folder_is_writable(look: Look) -> None:
    for folder in ("/", "/opt", "/var/tmp", "/dev", "/run", "/home", "/sys/fs/cgroup"):
        refused = look(f"open({folder!r} + '/written', 'w')")
        assert refused in ("Read-only file system", "Permission denied"), folder
    mounts: str = look("found = open('/proc/mounts').read()")
    options = {line.split()[1]: set(line.split()[3].split(",")) for line in mounts.splitlines()}
    assert "ro" in options["/"]
    assert {"rw", "noexec", "nosuid", "nodev"} <= options["/tmp"]
    assert "/dev/shm" not in options
    full = look("open('/tmp/large', 'wb').write(bytes(17 * 2**20))")
    assert full == "No space left on device"


def test_nothing_in_the_scratch_folder_can_be_executed(look: Look) -> None:
    code = """
        open('/tmp/program', 'w').write('#!/bin/sh')
        os.chmod('/tmp/program', 0o755)
        os.execv('/tmp/program', ['program'])
    """
    assert look(code) == "Permission denied"


def test_an_unprivileged_user_without_any_capability(look: Look) -> None:
    assert look("found = [os.getuid(), os.getgid()]") == [65534, 65534]
    sets = status(look, "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    assert set(sets.values()) == {"0" * 16}


def test_no_new_privileges_and_the_seccomp_filter(look: Look) -> None:
    assert status(look, "NoNewPrivs", "Seccomp") == {"NoNewPrivs": "1", "Seccomp": "2"}
    # Docker's default profile refuses new keyrings, which the kernel itself allows to anybody.
    code = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall(250, 1, 0, 0, 0, 0) == -1:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    """
    assert look(code) == "Operation not permitted"


def test_a_fork_bomb_stops_at_the_limit(look: Look) -> None:
    code = """
        import time
        found = 0
        try:
            while found < 100:
                if os.fork() == 0:
                    time.sleep(20)
                found += 1
        except OSError as error:
            found = [found, error.strerror]
    """
    assert look(code) == [CONTAINER_LIMITS.pids - 1, "Resource temporarily unavailable"]


def test_memory_is_limited_including_swap(
    execute: Callable[[str], tuple[ExitStatus, Collected]],
) -> None:
    enough, collected = execute("b = bytearray(40 * 2**20); print(len(b))")
    assert (enough, collected.output) == (ExitStatus(0), b"41943040\n")
    too_much, collected = execute("b = bytearray(b'x') * (80 * 2**20); print(len(b))")
    assert too_much.out_of_memory
    assert collected.output == b""


def test_cpu_time_is_limited_to_one_cpu(look: Look) -> None:
    code = """
        import time
        def burn(until):
            while time.monotonic() < until:
                pass
        begin = time.monotonic()
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                burn(begin + 2)
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        times = os.times()
        found = (times.children_user + times.children_system) / (time.monotonic() - begin)
    """
    assert look(code) < 1.2


def test_exit_codes_and_signals_are_distinguished(
    execute: Callable[[str], tuple[ExitStatus, Collected]],
) -> None:
    assert execute("import sys; sys.exit(3)")[0] == ExitStatus(3)
    # Process 1 is not ended by signals that it sends itself, but by its own faults.
    fault = "import ctypes; ctypes.string_at(1)"
    assert execute(fault)[0] == ExitStatus(-11)


def test_stdin_is_delivered_completely_and_closed(
    host: DockerHost, image: Callable[[str], Image]
) -> None:
    sent = bytes(range(256)) * 4096
    code = "import sys, hashlib; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    collected = Collected()
    host.execute(image("python"), ["-c", code], sent, CONTAINER_LIMITS, LABELS, collected)
    import hashlib

    assert collected.output.decode().strip() == hashlib.sha256(sent).hexdigest()


def test_a_container_that_ignores_stdin_does_not_block(
    host: DockerHost, image: Callable[[str], Image]
) -> None:
    collected = Collected()
    exit_status = host.execute(
        image("python"), ["-c", "print('done')"], bytes(2**22), CONTAINER_LIMITS, LABELS, collected
    )
    assert (exit_status, collected.output) == (ExitStatus(0), b"done\n")


def test_no_container_is_left(host: DockerHost, look: Look) -> None:
    look("found = 1")
    assert host.containers(LABELS) == {}
