"""This host's Docker Engine: confined containers, one for every execution.

What a container may do is said in one place, `_host_config`; tests look at each of it from inside.
"""

from __future__ import annotations

import contextlib
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

UNPRIVILEGED = "65534:65534"
SCRATCH = "size=16m,mode=1777,noexec,nosuid,nodev"
_TICK_S = 0.25
_API_TIMEOUT_S = 60
_END_SECONDS = 30
_BAD_PARAMETER = 400  # what the Engine says to a program that is not there or can't be executed
# When the kernel kills for memory, Docker hears of it a moment after the exit.
_OOM_LOOKS = 5
_OOM_LOOK_S = 0.1


class DockerUnavailableError(UnavailableError):
    """The Docker Engine does not answer, or does not do as it was told."""


class ImageMissingError(NotFoundError):
    """There is no such image here, or nothing in it that could be started."""


@dataclass(frozen=True)
class Image:
    """A local image. ``id`` is what is executed, ``reference`` what is recorded.

    The reference is the registry's digest, or the image id where it was built locally.
    """

    id: str
    reference: str
    tagged_at: datetime
    built_at: datetime | None = None


@dataclass(frozen=True)
class ContainerLimits:
    """What a container gets of its host."""

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
    """Speaks to the Engine through its socket. Raises DockerUnavailableError."""

    def __init__(self) -> None:
        self._client: docker.APIClient | None = None

    def answers(self) -> bool:
        """Whether the Engine is there."""
        try:
            with _translated():
                return bool(self._api.ping())
        except DockerUnavailableError:
            return False

    def image(self, name: str) -> Image:
        """Resolve a tag, a digest or an id. Raises ImageMissingError."""
        with _translated():
            found = self._api.inspect_image(name)
        if (found.get("Config") or {}).get("Volumes"):
            # Docker would make a folder of the host's disk for it, without a limit.
            raise ImageMissingError(f"{name} declares a VOLUME, and a run has none")
        digests = found.get("RepoDigests") or []
        reference = digests[0] if digests else found["Id"]
        return Image(found["Id"], reference, _tagged_at(found), _time(found.get("Created")))

    def pull(self, name: str) -> None:
        """Fetch an image from its registry. Raises DockerUnavailableError or ImageMissingError."""
        with _translated():
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
        """Run one container to its end and remove it.

        Raises ImageMissingError or DockerUnavailableError.
        """
        with _translated():
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
            with _translated():
                return self._attend(container, stdin, listener)
        finally:
            self.remove(container)

    def containers(self, labels: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Containers with these labels, running or not: their labels by container id."""
        wanted = [f"{name}={value}" for name, value in labels.items()]
        with _translated():
            found = self._api.containers(all=True, filters={"label": wanted})
        return {one["Id"]: one["Labels"] for one in found}

    def remove(self, container: str) -> None:
        """Kill and remove; nothing happens if it is gone. Reaped later if Docker is away."""
        with contextlib.suppress(DockerUnavailableError, ImageMissingError), _translated():
            self._api.remove_container(container, force=True, v=True)

    @property
    def _api(self) -> docker.APIClient:
        if self._client is None:
            where = docker.utils.kwargs_from_env()  # DOCKER_HOST, or the usual socket
            self._client = docker.APIClient(version="auto", timeout=_API_TIMEOUT_S, **where)
        return self._client

    def _host_config(self, container_limits: ContainerLimits) -> dict[str, Any]:
        """No network, nothing to write to but a small scratch folder, no privileges, no logs.

        Docker's default seccomp profile applies, for nothing else is asked for.
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

    def _attend(self, container: str, stdin: bytes, listener: Listener) -> ExitStatus:
        listener.tick(0)
        if listener.should_stop:
            return ExitStatus(0)
        attached = self._api.attach_socket(
            container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        )
        try:
            self._start(container)
            begin = time.monotonic()
            listener.tick(0)
            _exchange(attached._sock, stdin, listener, begin)
        finally:
            attached._response.close()
        return self._await_end(container, listener, begin)

    def _start(self, container: str) -> None:
        try:
            self._api.start(container)
        except APIError as error:
            if error.response is not None and error.response.status_code == _BAD_PARAMETER:
                raise ImageMissingError(
                    f"the image can't be started: {error.explanation}"
                ) from error
            raise

    def _await_end(self, container: str, listener: Listener, begin: float) -> ExitStatus:
        """Leave it the rest of its time to end by itself, or end it."""
        killed = False
        give_up = None
        while (state := self._api.inspect_container(container)["State"])["Running"]:
            if listener.should_stop and not killed:
                with contextlib.suppress(APIError):  # it has ended this very moment
                    self._api.kill(container, signal.SIGKILL)
                killed, give_up = True, time.monotonic() + _END_SECONDS
            elif give_up and time.monotonic() > give_up:
                raise DockerUnavailableError("Docker could not end a container")
            elif not killed:
                listener.tick(time.monotonic() - begin)
            time.sleep(0.02)
        code = _signal_or_code(state["ExitCode"])
        out_of_memory = bool(state["OOMKilled"])
        for _ in range(_OOM_LOOKS if code == -signal.SIGKILL and not killed else 0):
            if out_of_memory:
                break
            time.sleep(_OOM_LOOK_S)
            out_of_memory = self._api.inspect_container(container)["State"]["OOMKilled"]
        return ExitStatus(code, out_of_memory)


def _exchange(connection: socket.socket, stdin: bytes, listener: Listener, begin: float) -> None:
    """Give what goes in and hand on what comes out, until its end or a reason to stop."""
    unsent = memoryview(stdin)
    frames = Frames(listener.on_stdout, listener.on_stderr)
    connection.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE)
        next_tick = begin + _TICK_S
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
                listener.tick(time.monotonic() - begin)


def _send(connection: socket.socket, unsent: memoryview) -> int:
    """How much was taken; all of it by a container that ended without reading."""
    try:
        return connection.send(unsent)
    except BlockingIOError:
        return 0
    except (BrokenPipeError, ConnectionResetError):
        return len(unsent)


def _receive(connection: socket.socket) -> bytes:
    """What has come; nothing at the end, also of a container that ended without reading."""
    try:
        return connection.recv(1 << 16)
    except ConnectionResetError:
        return b""


def _end_input(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


class Frames:
    """Takes Docker's attach stream apart.

    Eight bytes before each block: stream (1 is stdout, 2 stderr), three zeros, big-endian length
    (Docker Engine API, "Attach to a container", stream format).
    """

    def __init__(self, output: Callable[[bytes], None], errors: Callable[[bytes], None]) -> None:
        self._takers = {1: output, 2: errors}
        self._header = b""
        self._stream = 0
        self._left = 0

    def feed(self, block: bytes) -> None:
        """The next bytes of the stream, however they were cut."""
        while block:
            if self._left == 0:
                missing = 8 - len(self._header)
                self._header, block = self._header + block[:missing], block[missing:]
                if len(self._header) == 8:
                    self._stream = self._header[0]
                    self._left = int.from_bytes(self._header[4:], "big")
                    self._header = b""
                continue
            part, block = block[: self._left], block[self._left :]
            self._left -= len(part)
            self._takers.get(self._stream, _ignore)(part)


def _tagged_at(inspected: dict[str, Any]) -> datetime:
    """When a name was last given to the image here; else, when it was made."""
    tagged = (inspected.get("Metadata") or {}).get("LastTagTime")
    return _time(tagged) or _time(inspected.get("Created")) or datetime.fromtimestamp(0, UTC)


def _time(text: str | None) -> datetime | None:
    """One of Docker's times, in whole seconds; None for what is none, or year 1, its zero."""
    with contextlib.suppress(ValueError):
        when = datetime.fromisoformat((text or "")[:19]).replace(tzinfo=UTC)
        return when if when.year > 1 else None
    return None


def _ignore(_: bytes) -> None:
    pass


def _signal_or_code(code: int) -> int:
    """Docker gives a signal as 128 more than its number."""
    return 128 - code if 128 < code <= 128 + 64 else code


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ImageNotFound as error:
        raise ImageMissingError(str(error.explanation)) from error
    except NotFound as error:
        raise DockerUnavailableError("the container was removed from outside") from error
    except (DockerException, RequestException, OSError) as error:
        raise DockerUnavailableError(f"Docker: {error}") from error
