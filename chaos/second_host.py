"""A second host: a network namespace with a Docker Engine of its own, joined by a virtual cable."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from chaos.stack import ROOT, Stack, docker, until

IMAGES = ("windtunnel/worker", "windtunnel/sim-ns3")
_NETWORK = "10.213.77"
_READY_SECONDS = 60


class SecondHost:
    """A context manager that removes the host when it ends. Needs root.

    Its addresses reach those of this host over the cable, as over a switch between two machines.
    """

    address = f"{_NETWORK}.2"
    gateway = f"{_NETWORK}.1"

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wt-host-"))  # short: paths of sockets
        self.namespace = self.folder.name
        self.socket = self.folder / "docker.sock"
        self._near, self._far = "wt-near", "wt-far"
        self._engine: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> SecondHost:
        try:
            self._connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._engine is not None:
            if containers := self.docker("ps", "-aq", check=False).split():
                self.docker("rm", "-f", *containers, check=False)
            self._engine.send_signal(signal.SIGTERM)
            self._engine.wait()
        _ip("link", "delete", self._near, check=False)
        _ip("netns", "delete", self.namespace, check=False)
        for mounted in self.folder.glob("exec/netns/*"):
            subprocess.run(["umount", "--lazy", mounted], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _connect(self) -> None:
        _ip("link", "delete", self._near, check=False)  # of a session that was killed
        _ip("netns", "add", self.namespace)
        _ip("link", "add", self._near, "type", "veth", "peer", "name", self._far)
        _ip("link", "set", self._far, "netns", self.namespace)
        _ip("address", "add", f"{self.gateway}/24", "dev", self._near)
        _ip("link", "set", self._near, "up")
        for words in (
            ["address", "add", f"{self.address}/24", "dev", self._far],
            ["link", "set", "lo", "up"],
            ["link", "set", self._far, "up"],
            ["route", "add", "default", "via", self.gateway],
        ):
            self.run("ip", *words)

    def command(self, *words: str) -> list[str]:
        """A command that runs on this host's network, and sees the cgroups that an Engine needs."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}", *words]

    def run(self, *words: str) -> str:
        """Run a command on this host's network; its output."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def start_engine(self, images: Sequence[str] = IMAGES) -> None:
        """Start its Docker Engine and copy images to it, as `docker save | docker load` does."""
        # Networks of its containers that are not those of the first host's, which it has to reach.
        options = ["--host", f"unix://{self.socket}", "--bip", "172.31.77.1/24"]
        options += ["--default-address-pool", "base=172.31.80.0/20,size=24"]
        for name, entry in (("data-root", "data"), ("exec-root", "exec"), ("pidfile", "pid")):
            options += [f"--{name}", str(self.folder / entry)]
        with (self.folder / "log").open("ab") as log:
            command = self.command("dockerd", *options)
            self._engine = subprocess.Popen(command, stdout=log, stderr=log)
        until(
            lambda: "Server Version" in self.docker("info", check=False),
            _READY_SECONDS,
            lambda: f"dockerd: {(self.folder / 'log').read_text()[-2000:]}",
        )
        with subprocess.Popen(["docker", "save", *images], stdout=subprocess.PIPE) as saved:
            load = ["docker", "--host", f"unix://{self.socket}", "load", "--quiet"]
            subprocess.run(load, stdin=saved.stdout, stdout=subprocess.DEVNULL, check=True)

    def docker(self, *words: str, check: bool = True) -> str:
        """Run the docker command on this host's Engine; its output."""
        return docker("--host", f"unix://{self.socket}", *words, check=check)

    def join(self, stack: Stack, **variables: str) -> None:
        """Start a worker of the stack on this host, in the steps of docs/deployment.md."""
        checkout = self.folder / "windtunnel"
        checkout.mkdir(exist_ok=True)
        bundle = subprocess.run(
            [ROOT / "tools" / "worker-bundle", stack.env_file], capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", checkout], input=bundle.stdout, check=True)
        settings = {"DOCKER_SOCKET": str(self.socket), **variables}
        with (checkout / ".env").open("a", encoding="utf-8") as env:
            env.writelines(f"{name}={value}\n" for name, value in settings.items())
        subprocess.run([ROOT / "tools" / "env", checkout / ".env"], check=True, capture_output=True)
        self.compose("up", "-d", "--wait")

    def compose(self, *words: str, check: bool = True) -> str:
        """Run docker compose on its worker; its output."""
        checkout = self.folder / "windtunnel"
        environment = {
            **{name: value for name, value in os.environ.items() if "WINDTUNNEL" not in name},
            "DOCKER_HOST": f"unix://{self.socket}",
            "WINDTUNNEL_TLS": str(checkout / "tls"),
        }
        file = str(ROOT / "docker-compose.worker.yml")
        command = ["docker", "compose", "--env-file", str(checkout / ".env"), "-f", file, *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"docker compose {' '.join(words)}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def simulations(self) -> list[str]:
        """Containers on this host that execute a run."""
        return self.docker("ps", "-aq", "--filter", "label=windtunnel.run").split()

    def cut_off(self) -> None:
        """Drop all packets from and to this host."""
        self.run("iptables", "-t", "mangle", "-A", "PREROUTING", "-i", self._far, "-j", "DROP")
        self.run("iptables", "-t", "mangle", "-A", "POSTROUTING", "-o", self._far, "-j", "DROP")

    def reconnect(self) -> None:
        """Undo cut_off()."""
        self.run("iptables", "-t", "mangle", "-F")


def _ip(*words: str, check: bool = True) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")
