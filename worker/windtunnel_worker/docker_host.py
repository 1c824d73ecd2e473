"""Runs confined containers on this host's Docker Engine, one per execution.

`_host_config` defines all confinement; tests check every restriction from inside a container.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.types import Healthcheck, LogConfig, Ulimit
from requests.exceptions import RequestException

from windtunnel.errors import NotFoundError, UnavailableError
from windtunnel.simulator import ExitStatus

log = logging.getLogger(__name__)

UNPRIVILEGED = "65534:65534"
SCRATCH = "size=16m,mode=1777,noexec,nosuid,nodev"
_TICK_S = 0.25
_API_TIMEOUT_S = 60
_KILL_TIMEOUT_S = 30
_BAD_PARAMETER = 400  # the Engine's status for a program that is missing or not executable
# Docker learns about a kill by the kernel's OOM killer shortly after the exit.
_OOM_CHECKS = 5
_OOM_CHECK_S = 0.1


class DockerUnavailableError(UnavailableError):
    """The Docker Engine does not answer or fails."""


class ImageMissingError(NotFoundError):
    """The image does not exist on this host or can't be started."""


@dataclass(frozen=True)
class Image:
    """A local image. ``id`` is executed, ``reference`` is recorded.

    The reference is the registry's digest, or the image id if the image was built locally.
    """

    id: str
    reference: str
    tagged_at: datetime
    built_at: datetime | None = None


@dataclass(frozen=True)
class ContainerLimits:
    """Resource limits of a container."""

    memory_bytes: int
    cpus: float
    pids: int


class Listener(Protocol):
    """Receives a container's output; `should_stop` turns true to end it early."""

    @property
    def should_stop(self) -> bool: ...

    def on_stdout(self, block: bytes) -> None: ...

    def on_stderr(self, block: bytes) -> None: ...

    def tick(self, elapsed: float) -> None: ...


class DockerHost:
    """Client of the Docker Engine. Methods raise DockerUnavailableError."""

    def __init__(self) -> None:
        self._client: docker.APIClient | None = None

    def is_available(self) -> bool:
        """Whether the Engine answers."""
        try:
            with _translated_errors():
                return bool(self._api.ping())
        except DockerUnavailableError:
            return False

    def image(self, name: str) -> Image:
        """Resolve a tag, a digest or an id. Raises ImageMissingError."""
        with _translated_errors():
            image = self._api.inspect_image(name)
        if (image.get("Config") or {}).get("Volumes"):
            # Docker would create an unlimited folder on the host's disk for it.
            raise ImageMissingError(f"{name} declares a VOLUME; volumes are not allowed")
        digests = image.get("RepoDigests") or []
        reference = digests[0] if digests else image["Id"]
        return Image(image["Id"], reference, _tagged_at(image), _time(image.get("Created")))

    def pull(self, name: str) -> None:
        """Pull an image from its registry. Raises DockerUnavailableError or ImageMissingError."""
        with _translated_errors():
            for line in self._api.pull(name, stream=True, decode=True):
                if "error" in line:
                    raise ImageMissingError(str(line["error"]))

    def execute(
        self,
        image: Image,
        command: Sequence[str],
        stdin: bytes,
        container_limits: ContainerLimits,
        labels: Mapping[str, str],
        listener: Listener,
    ) -> ExitStatus:
        """Run a container to completion and remove it.

        Raises ImageMissingError or DockerUnavailableError.
        """
        with _translated_errors():
            container = self._api.create_container(
                image.id,
                command=list(command),
                user=UNPRIVILEGED,
                stdin_open=True,
                network_disabled=True,
                healthcheck=Healthcheck(test=["NONE"]),
                labels=dict(labels),
                host_config=self._host_config(container_limits),
            )["Id"]
        try:
            with _translated_errors():
                return self._communicate(container, stdin, listener)
        finally:
            self.remove(container)

    def containers(self, labels: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Running and stopped containers with these labels: all their labels by container id."""
        label_filters = [f"{name}={value}" for name, value in labels.items()]
        with _translated_errors():
            containers = self._api.containers(all=True, filters={"label": label_filters})
        return {container["Id"]: container["Labels"] for container in containers}

    def remove(self, container: str) -> None:
        """Kill and remove a container. Idempotent. If Docker fails, the reaper removes it later."""
        with contextlib.suppress(DockerUnavailableError, ImageMissingError), _translated_errors():
            self._api.remove_container(container, force=True, v=True)

    @property
    def _api(self) -> docker.APIClient:
        if self._client is None:
            connection = docker.utils.kwargs_from_env()  # DOCKER_HOST, or the default socket
            self._client = docker.APIClient(version="auto", timeout=_API_TIMEOUT_S, **connection)
        return self._client

    def _host_config(self, container_limits: ContainerLimits) -> dict[str, Any]:
        """No network, read-only except for a small /tmp, no capabilities, no logs, tight limits.

        Docker's default seccomp profile applies.
        """
        settings: dict[str, Any] = self._api.create_host_config(
            network_mode="none",
            ipc_mode="none",
            read_only=True,
            tmpfs={"/tmp": SCRATCH},  # noqa: S108  (the container's)
            cap_drop=["ALL"],
            security_opt=["no-new-privileges:true"],
            mem_limit=container_limits.memory_bytes,
            memswap_limit=container_limits.memory_bytes,
            nano_cpus=round(container_limits.cpus * 1e9),
            pids_limit=container_limits.pids,
            ulimits=[
                Ulimit(name="core", soft=0, hard=0),
                Ulimit(name="nofile", soft=256, hard=256),
            ],
            log_config=LogConfig(type="none"),
        )
        return settings

    def _communicate(self, container: str, stdin: bytes, listener: Listener) -> ExitStatus:
        listener.tick(0)
        if listener.should_stop:
            return ExitStatus(0)
        attached = self._api.attach_socket(
            container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        )
        try:
            self._start(container)
            log.info("started container %s", container[:12])
            started_at = time.monotonic()
            listener.tick(0)
            _exchange(attached._sock, stdin, listener, started_at)
        finally:
            attached._response.close()
        return self._wait_for_exit(container, listener, started_at)

    def _start(self, container: str) -> None:
        try:
            self._api.start(container)
        except APIError as error:
            if error.response is not None and error.response.status_code == _BAD_PARAMETER:
                raise ImageMissingError(
                    f"the image can't be started: {error.explanation}"
                ) from error
            raise

    def _wait_for_exit(self, container: str, listener: Listener, started_at: float) -> ExitStatus:
        """Wait until the container exits by itself, and kill it when the listener says stop."""
        killed = False
        kill_deadline = None
        while (state := self._api.inspect_container(container)["State"])["Running"]:
            if listener.should_stop and not killed:
                with contextlib.suppress(APIError):  # it may just have exited
                    self._api.kill(container, signal.SIGKILL)
                killed, kill_deadline = True, time.monotonic() + _KILL_TIMEOUT_S
            elif kill_deadline and time.monotonic() > kill_deadline:
                raise DockerUnavailableError(f"Docker could not kill container {container[:12]}")
            elif not killed:
                listener.tick(time.monotonic() - started_at)
            time.sleep(0.02)
        code = _signal_or_code(state["ExitCode"])
        out_of_memory = bool(state["OOMKilled"])
        for _ in range(_OOM_CHECKS if code == -signal.SIGKILL and not killed else 0):
            if out_of_memory:
                break
            time.sleep(_OOM_CHECK_S)
            out_of_memory = self._api.inspect_container(container)["State"]["OOMKilled"]
        return ExitStatus(code, out_of_memory)


def _exchange(
    connection: socket.socket, stdin: bytes, listener: Listener, started_at: float
) -> None:
    """Send stdin and forward output to the listener, until the end or until it says stop."""
    unsent = memoryview(stdin)
    frames = Frames(listener.on_stdout, listener.on_stderr)
    connection.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE)
        next_tick = started_at + _TICK_S
        while not listener.should_stop:
            for _, events in selector.select(_TICK_S):
                if events & selectors.EVENT_WRITE:
                    unsent = unsent[_send(connection, unsent) :]
                    if not unsent:
                        _end_input(connection)
                        selector.modify(connection, selectors.EVENT_READ)
                if events & selectors.EVENT_READ:
                    block = _receive(connection)
                    if not block:
                        return
                    frames.feed(block)
            if time.monotonic() >= next_tick:
                next_tick = time.monotonic() + _TICK_S
                listener.tick(time.monotonic() - started_at)


def _send(connection: socket.socket, unsent: memoryview) -> int:
    """Number of bytes sent; all of them if the container exited without reading."""
    try:
        return connection.send(unsent)
    except BlockingIOError:
        return 0
    except (BrokenPipeError, ConnectionResetError):
        return len(unsent)


def _receive(connection: socket.socket) -> bytes:
    """Received bytes; empty at the end, also if the container exited without reading."""
    try:
        return connection.recv(1 << 16)
    except ConnectionResetError:
        return b""


def _end_input(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


class Frames:
    """Demultiplexes Docker's attach stream.

    Each frame has an 8-byte header: stream (1 is stdout, 2 stderr), three zeros, big-endian length
    (Docker Engine API, "Attach to a container", stream format).
    """

    def __init__(
        self, on_stdout: Callable[[bytes], None], on_stderr: Callable[[bytes], None]
    ) -> None:
        self._callbacks = {1: on_stdout, 2: on_stderr}
        self._header = b""
        self._stream = 0
        self._remaining = 0

    def feed(self, block: bytes) -> None:
        """Consume the next bytes of the stream; they may end anywhere in a frame."""
        while block:
            if self._remaining == 0:
                missing = 8 - len(self._header)
                self._header, block = self._header + block[:missing], block[missing:]
                if len(self._header) == 8:
                    self._stream = self._header[0]
                    self._remaining = int.from_bytes(self._header[4:], "big")
                    self._header = b""
                continue
            part, block = block[: self._remaining], block[self._remaining :]
            self._remaining -= len(part)
            self._callbacks.get(self._stream, _ignore)(part)


def _tagged_at(inspected: dict[str, Any]) -> datetime:
    """When the image was last tagged on this host, else when it was created."""
    last_tag_time = (inspected.get("Metadata") or {}).get("LastTagTime")
    return _time(last_tag_time) or _time(inspected.get("Created")) or datetime.fromtimestamp(0, UTC)


def _time(text: str | None) -> datetime | None:
    """Parse a Docker timestamp to whole seconds; None if invalid or Docker's zero time (year 1)."""
    with contextlib.suppress(ValueError):
        time_utc = datetime.fromisoformat((text or "")[:19]).replace(tzinfo=UTC)
        return time_utc if time_utc.year > 1 else None
    return None


def _ignore(_: bytes) -> None:
    pass


def _signal_or_code(code: int) -> int:
    """Convert Docker's 128 + N for signal N to -N."""
    return 128 - code if 128 < code <= 128 + 64 else code


@contextlib.contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except ImageNotFound as error:
        raise ImageMissingError(str(error.explanation)) from error
    except NotFound as error:
        raise DockerUnavailableError("the container was removed by someone else") from error
    except (DockerException, RequestException, OSError) as error:
        raise DockerUnavailableError(f"Docker: {error}") from error
