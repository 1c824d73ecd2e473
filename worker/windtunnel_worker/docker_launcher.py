"""Executes runs as containers: the launcher over `DockerHost`, and what images offer."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.errors import WindtunnelError
from windtunnel.run import FailureReason
from windtunnel.settings import Settings
from windtunnel.simulator import (
    ExecutionMonitor,
    Failed,
    Limits,
    Lost,
    Outcome,
    ProgressCallback,
)
from windtunnel.simulator.execution import LineSink
from windtunnel.spec.description import Description
from windtunnel_worker.docker_host import (
    ContainerLimits,
    DockerHost,
    DockerUnavailableError,
    Image,
    ImageMissingError,
)
from windtunnel_worker.simulators import AvailableSimulator

log = logging.getLogger(__name__)

DESCRIBE = "windtunnel.describe"
INSTALLATION = "windtunnel.installation"
WORKER = "windtunnel.worker"
_DESCRIBE_BYTES = 16 * 2**20
_DESCRIBE_SECONDS = 60


class Backoff:
    """Exponential backoff after a Docker failure; no runs are claimed while it lasts.

    Otherwise a host whose Docker answers but can't start containers would claim every run, and
    lose it eight times.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._until = 0.0

    @property
    def active(self) -> bool:
        return time.monotonic() < self._until

    def failed(self) -> None:
        """Start the next pause: 2 s, 4 s, ... up to a minute."""
        self._seconds = min(60.0, max(2.0, 2 * self._seconds))
        self._until = time.monotonic() + self._seconds

    def reset(self) -> None:
        """Docker worked: the next pause is a short one again."""
        self._seconds = 0.0


class DockerLauncher:
    """Starts one container per run."""

    def __init__(
        self,
        host: DockerHost,
        image: Image,
        description: Description,
        settings: Settings,
        labels: Mapping[str, str],
        backoff: Backoff | None = None,
    ) -> None:
        self._backoff = backoff or Backoff()
        self._host = host
        self._image = image
        self._description = description
        self._settings = settings
        self._labels = dict(labels)

    def run(
        self,
        spec: Mapping[str, Any],
        limits: Limits,
        on_progress: ProgressCallback | None = None,
        sink: LineSink | None = None,
    ) -> Outcome:
        """Execute a run spec to its end. Never raises for what the simulator or Docker does."""
        monitor = ExecutionMonitor(self._description, limits, on_progress or (lambda _: True), sink)
        container_limits = ContainerLimits(
            limits.memory_bytes, self._settings.run_cpus, self._settings.run_pids
        )
        stdin = json.dumps(spec).encode()
        begin = time.monotonic()
        try:
            exit_status = self._host.execute(
                self._image, [], stdin, container_limits, self._labels, monitor
            )
        except ImageMissingError as error:
            return Failed("", 0, FailureReason.IMAGE_MISSING, str(error))
        except DockerUnavailableError as error:
            elapsed = time.monotonic() - begin
            self._backoff.failed()
            return Lost("", elapsed, str(error))
        self._backoff.reset()
        return monitor.outcome(exit_status, time.monotonic() - begin)


# Descriptions by image id; None for an image that is no simulator. A worker's main process fills it
# before it forks its pool, so that not every process has to ask.
_described: dict[str, Description | None] = {}


class DockerImages:
    """The simulators in the images of the allow list, as far as they are here right now.

    A tag that points to a new image is noticed; the old image's runs can be executed as long as it
    exists. Nothing is offered while Docker is away, so that no run is claimed in vain.
    """

    def __init__(self, host: DockerHost, settings: Settings, labels: Mapping[str, str]) -> None:
        self._host = host
        self._settings = settings
        self._labels = dict(labels)
        self._backoff = Backoff()
        self._images: dict[str, Image] = {}
        self._said: set[str] = set()

    @property
    def allowed(self) -> Sequence[str]:
        """The allow list."""
        return [name.strip() for name in self._settings.images.split(",") if name.strip()]

    def pull_missing(self) -> None:
        """Fetch images that are not here; what can't be fetched is said and left out.

        Only those whose name says where from: a forgotten local image is not to be replaced by
        whatever somebody has published under its name.
        """
        for name in filter(_names_a_registry, self.allowed):
            try:
                self._host.image(name)
            except ImageMissingError:
                log.info("pulling %s", name)
                try:
                    self._host.pull(name)
                except WindtunnelError as error:
                    log.warning("%s can't be pulled: %s", name, error)
            except DockerUnavailableError as error:
                log.warning("%s", error)

    def now(self) -> dict[str, AvailableSimulator]:
        """Simulators by digest."""
        if self._backoff.active or not self._host.answers():
            return {}
        for name in self.allowed:
            self._look_at(name)
        offered: dict[str, AvailableSimulator] = {}
        for image in list(self._images.values()):
            description = _described.get(image.id)
            if description is not None and self._exists(image):
                offered[description.digest] = self._offer(image, description)
        return offered

    def _look_at(self, name: str) -> None:
        try:
            image = self._host.image(name)
            self._images[image.id] = image
            if image.id not in _described:
                _described[image.id] = self._describe(image)
        except DockerUnavailableError as error:
            log.warning("%s is not offered for now: %s", name, error)
        except (WindtunnelError, UnicodeDecodeError) as error:
            if name not in self._said:
                log.warning("%s is not offered: %s", name, error)
            self._said.add(name)
        else:
            self._said.discard(name)

    def _exists(self, image: Image) -> bool:
        try:
            self._host.image(image.id)
        except WindtunnelError:
            return False
        return True

    def _describe(self, image: Image) -> Description | None:
        """What the image offers, None if it is no simulator.

        Raises DockerUnavailableError if that can't be said now.
        """
        answer = _Answer()
        container_limits = ContainerLimits(2**30, self._settings.run_cpus, self._settings.run_pids)
        labels = {**self._labels, DESCRIBE: image.id}
        exit_status = self._host.execute(image, ["describe"], b"", container_limits, labels, answer)
        if answer.too_late:
            raise DockerUnavailableError(f"'describe' took more than {_DESCRIBE_SECONDS} s")
        try:
            if exit_status.exit_code != 0:
                said = answer.errors.decode(errors="replace").strip()[-500:]
                raise ImageMissingError(f"'describe' ended with {exit_status.exit_code}: {said}")
            return Description.from_text(answer.output.decode())
        except (WindtunnelError, UnicodeDecodeError) as error:
            log.warning("%s is not offered: %s", image.reference, error)
            return None

    def _offer(self, image: Image, description: Description) -> AvailableSimulator:
        def launcher(labels: Mapping[str, str]) -> DockerLauncher:
            every = {**self._labels, **labels}
            return DockerLauncher(
                self._host, image, description, self._settings, every, self._backoff
            )

        return AvailableSimulator(
            description, image.tagged_at, image.built_at, image.reference, launcher
        )


def _names_a_registry(name: str) -> bool:
    """A host before the first slash, or a digest that leaves no choice."""
    host, slash, _ = name.partition("/")
    return "@sha256:" in name or bool(slash and (set(host) & set(".:") or host == "localhost"))


class _Answer:
    """Collects what `describe` prints, within reason."""

    def __init__(self) -> None:
        self.output = bytearray()
        self.errors = bytearray()
        self.should_stop = False
        self.too_late = False

    def on_stdout(self, block: bytes) -> None:
        self.output += block
        self.should_stop = self.should_stop or len(self.output) > _DESCRIBE_BYTES

    def on_stderr(self, block: bytes) -> None:
        self.errors += block
        self.should_stop = self.should_stop or len(self.errors) > _DESCRIBE_BYTES

    def tick(self, elapsed: float) -> None:
        self.too_late = elapsed > _DESCRIBE_SECONDS
        self.should_stop = self.should_stop or self.too_late
