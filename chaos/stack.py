"""One compose project of the service, and access to its parts for faults. Needs root."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
_READY_SECONDS = 300
_AWAY = frozenset({502, 503, 504})


def docker(*words: str, check: bool = True) -> str:
    """Run the docker command; its output."""
    done = subprocess.run(["docker", *words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"docker {' '.join(words)}: {done.stderr.strip()[-2000:]}")
    return done.stdout


class Stack:
    """A context manager that removes the stack when it ends; up() starts it.

    ``files`` are compose files; ``variables`` go into the env file beside the secrets.
    """

    def __init__(
        self,
        project: str,
        files: Sequence[str],
        ports: tuple[int, int, int],
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.project = project
        self.folder = Path(tempfile.mkdtemp(prefix=f"{project}-"))
        self.env_file = self.folder / "env"
        self._files = files
        self._ports = ports
        self._make_env()
        api, postgres, broker = ports
        settings = {
            "WINDTUNNEL_PRIVATE": "127.0.0.1",
            "WINDTUNNEL_PORT": str(api),
            "WINDTUNNEL_POSTGRES_PORT": str(postgres),
            "WINDTUNNEL_REDIS_PORT": str(broker),
            "WINDTUNNEL_TLS": str(self.folder / "tls"),
            **(variables or {}),
        }
        with self.env_file.open("a", encoding="utf-8") as env:
            env.writelines(f"{name}={value}\n" for name, value in settings.items())
        self._make_env()  # the certificates, with this address
        self.url = f"http://127.0.0.1:{api}"
        self.http = httpx2.Client(
            base_url=f"{self.url}/api/v1",
            headers={"Authorization": f"Bearer {self.secret('WINDTUNNEL_BOOTSTRAP_TOKEN')}"},
            timeout=30,
        )

    def _make_env(self) -> None:
        subprocess.run([ROOT / "tools" / "env", self.env_file], check=True, capture_output=True)

    def __enter__(self) -> Stack:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.compose("--profile", "clock", "down", "--volumes", "--timeout", "10", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def authority(self) -> str:
        """File of the certificate authority."""
        return str(self.folder / "tls" / "ca.crt")

    def secret(self, name: str) -> str:
        """A value of the env file."""
        lines = self.env_file.read_text(encoding="utf-8").splitlines()
        return next(line.split("=", 1)[1] for line in lines if line.startswith(f"{name}="))

    def set_variable(self, name: str, value: str) -> None:
        """Change a variable of the env file, for containers that are created from now on."""
        with self.env_file.open("a", encoding="utf-8") as env:
            env.write(f"{name}={value}\n")

    def compose(self, *words: str, check: bool = True) -> str:
        """Run docker compose on this project; its output."""
        chosen = [part for file in self._files for part in ("-f", str(ROOT / file))]
        base = ["compose", "-p", self.project, "--env-file", str(self.env_file), *chosen]
        return docker(*base, *words, check=check)

    def up(self, *words: str) -> None:
        """Start it, or parts of it, and wait until it is healthy; try once more if it is not.

        Raises RuntimeError with the last words of each container.
        """
        command = ("up", "-d", "--wait", "--wait-timeout", str(_READY_SECONDS), *words)
        try:
            self.compose(*command)
        except RuntimeError as error:
            print(f"once more, after: {self._last_words(error)}", file=sys.stderr, flush=True)
            try:
                self.compose(*command)
            except RuntimeError as again:
                raise RuntimeError(self._last_words(again)) from again

    def _last_words(self, error: RuntimeError) -> str:
        states = self.compose("ps", "--all", check=False)
        logs = self.compose("logs", "--no-color", "--tail", "20", check=False)
        return f"{str(error)[-400:]}\n{states}\n{logs}"

    def containers(self, *services: str) -> list[str]:
        """Ids of these services' running containers."""
        return self.compose("ps", "-q", "--status", "running", *services).split()

    def database(self) -> psycopg.Connection[Any]:
        """A new connection to PostgreSQL."""
        return psycopg.connect(
            host=self.secret("WINDTUNNEL_PRIVATE"),
            port=self._ports[1],
            user="windtunnel",
            dbname="windtunnel",
            password=self.secret("POSTGRES_PASSWORD"),
            autocommit=True,
            connect_timeout=5,
            sslmode="verify-full",
            sslrootcert=self.authority,
        )

    def redis(self) -> redis.Redis:
        """A new connection to Redis."""
        return redis.Redis(
            self.secret("WINDTUNNEL_PRIVATE"),
            self._ports[2],
            password=self.secret("REDIS_PASSWORD"),
            ssl=True,
            ssl_ca_certs=self.authority,
        )

    # Requests of a client that retries through every outage.

    def ask(
        self,
        method: str,
        path: str,
        missing: Sequence[int] = (),
        seconds: float = 120,
        **options: Any,
    ) -> httpx2.Response:
        """Send a request; retry while the service is unavailable."""
        return ask(self.http, method, path, missing, seconds, **options)

    def submit(self, campaign: Mapping[str, Any], key: str | None = None) -> str:
        """Submit a campaign, once; its id."""
        headers = {"Idempotency-Key": key or secrets.token_hex(8)}
        answer = self.ask("POST", "/campaigns", json=dict(campaign), headers=headers)
        return str(answer.json()["id"])

    def campaign(self, campaign_id: str) -> dict[str, Any]:
        """A campaign's present state."""
        campaign: dict[str, Any] = self.ask("GET", f"/campaigns/{campaign_id}").json()
        return campaign

    def wait(self, campaign_id: str, seconds: float) -> dict[str, Any]:
        """Wait until its runs have ended; the campaign then."""
        campaign: dict[str, Any] = {}

        def ended() -> bool:
            nonlocal campaign
            campaign = self.campaign(campaign_id)
            return bool(campaign["ended"])

        until(ended, seconds, lambda: f"the campaign has not ended: {campaign.get('runs')}")
        return campaign

    def simulations(self) -> list[str]:
        """Containers that execute a run of this installation right now."""
        with self.database() as connection:
            (installation,) = connection.execute("SELECT id FROM installation").fetchone() or ("",)
        label = f"label=windtunnel.installation={installation}"
        return docker("ps", "-aq", "--filter", label, "--filter", "label=windtunnel.run").split()


def bridge_address() -> str:
    """This host's address on Docker's bridge, which other network namespaces reach."""
    form = "{{(index .IPAM.Config 0).Subnet}}"
    subnet = docker("network", "inspect", "bridge", "-f", form).strip()
    return str(next(ip_network(subnet).hosts()))


def ask(
    http: httpx2.Client,
    method: str,
    path: str,
    missing: Sequence[int] = (),
    seconds: float = 120,
    **options: Any,
) -> httpx2.Response:
    """Send a request; retry while the service is unavailable. ``missing``: statuses to return.

    Raises RuntimeError for any other error, and TimeoutError.
    """
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(httpx2.TransportError):
            answer = http.request(method, path, **options)
            if answer.is_success or answer.status_code in missing:
                return answer
            if answer.status_code not in _AWAY:
                raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"{method} {path} was not answered within {seconds:g} s")
        time.sleep(0.2)


def until(holds: Callable[[], bool], seconds: float, complaint: Callable[[], str]) -> None:
    """Wait until a condition holds. Raises TimeoutError with the complaint."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{complaint()} (after {seconds:g} s)")
        time.sleep(0.3)


def first_process(container: str) -> int | None:
    """Id, on this host, of a container's first process; None if it does not run."""
    text = docker("inspect", "-f", "{{.State.Pid}}", container, check=False).strip()
    return int(text) if text and text != "0" else None


def processes(container: str, words: str = "") -> list[int]:
    """Ids, on this host, of a container's processes whose command lines contain these words."""
    lines = docker("top", container, "-o", "pid,args", check=False).splitlines()[1:]
    return [int(line.split()[0]) for line in lines if words in line]


def kill(pid: int | None, signal_number: signal.Signals = signal.SIGKILL) -> bool:
    """Send a signal; whether the process existed."""
    if pid is None:
        return False
    try:
        os.kill(pid, signal_number)
    except ProcessLookupError:
        return False
    return True
