"""The services run again after Docker Engine was killed and started again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.containers.conftest import docker

BASE = "debian:trixie-slim"


class Engine:
    """An engine of its own, without networks.

    In a network namespace of its own: it would remove the bridge of the real engine.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = f"unix://{folder}/socket"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--host", self._socket, "--bridge", "none", "--iptables=false"]
        for name, entry in (("data-root", "data"), ("exec-root", "exec"), ("pidfile", "pid")):
            options += [f"--{name}", str(self._folder / entry)]
        deadline = time.monotonic() + 60
        while "Server Version" not in self.docker("info", check=False):
            assert time.monotonic() < deadline, (self._folder / "log").read_text()[-2000:]
            # It gives up while the containerd of a killed one is still exiting.
            if self._process is None or self._process.poll() is not None:
                time.sleep(1)
                with (self._folder / "log").open("ab") as log:
                    self._process = subprocess.Popen(
                        ["unshare", "--net", "dockerd", *options, "--storage-driver", "vfs"],
                        stdout=log,
                        stderr=log,
                    )
            time.sleep(0.2)

    def end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait()

    def docker(self, *words: str, check: bool = True) -> str:
        return docker("--host", self._socket, *words, check=check)


@pytest.fixture
def engine() -> Iterator[Engine]:
    assert os.geteuid() == 0, "the container tests need root"
    folder = Path(tempfile.mkdtemp(prefix="wt-engine-"))  # short: paths of sockets
    engine = Engine(folder)
    docker("save", BASE, "-o", str(folder / "base.tar"))
    engine.start()
    try:
        engine.docker("load", "-qi", str(folder / "base.tar"))
        yield engine
        if containers := engine.docker("ps", "-aq").split():
            engine.docker("rm", "-f", *containers)
    finally:
        engine.end(signal.SIGTERM)
        subprocess.run(["umount", "--quiet", str(folder / "data")], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def policies() -> set[str]:
    """The restart policies of all services that keep running."""
    lines = (ROOT / "docker-compose.yml").read_text(encoding="utf-8").splitlines()
    values = {line.split(":", 1)[1].strip() for line in lines if line.startswith("    restart:")}
    return values - {'"no"', "on-failure:3"}


def test_services_run_again_after_the_engine_was_killed(engine: Engine) -> None:
    assert policies() == {"always"}
    for policy in ("always", "unless-stopped"):
        command = ["run", "-d", "--network", "none", "--restart", policy, "--name", policy]
        engine.docker(*command, BASE, "sleep", "10000")
    engine.end(signal.SIGKILL)
    engine.start()
    deadline = time.monotonic() + 60
    while engine.docker("ps", "--format", "{{.Names}}").split() != ["always"]:
        assert time.monotonic() < deadline, engine.docker("ps", "-a")
        time.sleep(0.5)
