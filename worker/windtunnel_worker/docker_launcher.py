"""Executes runs as containers, and describes the simulators in Docker images."""

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
    """Exponential backoff after a Docker failure, during which no runs are claimed.

    Without it, a host whose Docker answers but can't start containers would claim and lose every
    run until its attempts are used up.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._until = 0.0

    @property
    def active(self) -> bool:
        return time.monotonic() < self._until

    def failed(self) -> None:
        """Start the next delay: 2 s, 4 s, ... up to a minute."""
        self._seconds = min(60.0, max(2.0, 2 * self._seconds))
        self._until = time.monotonic() + self._seconds

    def reset(self) -> None:
        """Restart from the shortest delay after a success."""
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
        """Execute a run spec. Never raises for failures of the simulator or of Docker."""
        monitor = ExecutionMonitor(self._description, limits, on_progress or (lambda _: True), sink)
        container_limits = ContainerLimits(
            limits.memory_bytes, self._settings.run_cpus, self._settings.run_pids
        )
        stdin = json.dumps(spec).encode()
        started_at = time.monotonic()
        try:
            exit_status = self._host.execute(
                self._image, [], stdin, container_limits, self._labels, monitor
            )
        except ImageMissingError as error:
            return Failed("", 0, FailureReason.IMAGE_MISSING, str(error))
        except DockerUnavailableError as error:
            elapsed = time.monotonic() - started_at
            self._backoff.failed()
            return Lost("", elapsed, str(error))
        self._backoff.reset()
        return monitor.outcome(exit_status, time.monotonic() - started_at)


# Cache of descriptions by image id; None for an image that is not a simulator. A worker's main
# process fills it before forking the pool, so that pool processes inherit it.
_descriptions: dict[str, Description | None] = {}


class DockerImages:
    """The simulators in the allowed images that exist on this host.

    When a tag moves to a new image, runs of the old image can still be executed as long as it
    exists. Nothing is offered while Docker is unavailable, so that no run is claimed in vain.
    """

    def __init__(self, host: DockerHost, settings: Settings, labels: Mapping[str, str]) -> None:
        self._host = host
        self._settings = settings
        self._labels = dict(labels)
        self._backoff = Backoff()
        self._images: dict[str, Image] = {}
        self._warned: set[str] = set()

    @property
    def allowed(self) -> Sequence[str]:
        """Names of the allowed images."""
        return [name.strip() for name in self._settings.images.split(",") if name.strip()]

    def pull_missing(self) -> None:
        """Pull missing images; logs a warning and skips an image that can't be pulled.

        Only names with a registry or digest are pulled: a missing local image must not be replaced
        by an unrelated public image of the same name.
        """
        for name in filter(_names_a_registry, self.allowed):
            try:
                self._host.image(name)
            except ImageMissingError:
                log.info("pulling %s", name)
                try:
                    self._host.pull(name)
                except WindtunnelError as error:
                    log.warning("cannot pull %s: %s", name, error)
            except DockerUnavailableError as error:
                log.warning("cannot check %s: %s", name, error)

    def now(self) -> dict[str, AvailableSimulator]:
        """The simulators available now, by digest."""
        if self._backoff.active or not self._host.is_available():
            return {}
        for name in self.allowed:
            self._inspect(name)
        available: dict[str, AvailableSimulator] = {}
        for image in list(self._images.values()):
            description = _descriptions.get(image.id)
            if description is not None and self._exists(image):
                available[description.digest] = self._available(image, description)
        return available

    def _inspect(self, name: str) -> None:
        try:
            image = self._host.image(name)
            self._images[image.id] = image
            if image.id not in _descriptions:
                _descriptions[image.id] = self._describe(image)
        except DockerUnavailableError as error:
            log.warning("%s is temporarily not offered: %s", name, error)
        except (WindtunnelError, UnicodeDecodeError) as error:
            if name not in self._warned:
                log.warning("%s is not offered: %s", name, error)
            self._warned.add(name)
        else:
            self._warned.discard(name)

    def _exists(self, image: Image) -> bool:
        try:
            self._host.image(image.id)
        except WindtunnelError:
            return False
        return True

    def _describe(self, image: Image) -> Description | None:
        """Run ``describe`` in the image; None if the image is not a simulator.

        Raises DockerUnavailableError for temporary failures.
        """
        output = _DescribeOutput()
        container_limits = ContainerLimits(2**30, self._settings.run_cpus, self._settings.run_pids)
        labels = {**self._labels, DESCRIBE: image.id}
        exit_status = self._host.execute(image, ["describe"], b"", container_limits, labels, output)
        if output.timed_out:
            raise DockerUnavailableError(f"'describe' took more than {_DESCRIBE_SECONDS} s")
        try:
            if exit_status.exit_code != 0:
                tail = output.stderr.decode(errors="replace").strip()[-500:]
                message = f"'describe' exited with code {exit_status.exit_code}: {tail}"
                raise ImageMissingError(message)
            return Description.from_text(output.stdout.decode())
        except (WindtunnelError, UnicodeDecodeError) as error:
            log.warning("%s is not offered: %s", image.reference, error)
            return None

    def _available(self, image: Image, description: Description) -> AvailableSimulator:
        def launcher(labels: Mapping[str, str]) -> DockerLauncher:
            all_labels = {**self._labels, **labels}
            return DockerLauncher(
                self._host, image, description, self._settings, all_labels, self._backoff
            )

        return AvailableSimulator(
            description, image.tagged_at, image.built_at, image.reference, launcher
        )


def _names_a_registry(name: str) -> bool:
    """Whether an image name has a registry host before its first slash, or a digest."""
    host, slash, _ = name.partition("/")
    return "@sha256:" in name or bool(slash and (set(host) & set(".:") or host == "localhost"))


class _DescribeOutput:
    """Collects the output of ``describe``, with limits on size and time."""

    def __init__(self) -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.should_stop = False
        self.timed_out = False

    def on_stdout(self, block: bytes) -> None:
        self.stdout += block
        self.should_stop = self.should_stop or len(self.stdout) > _DESCRIBE_BYTES

    def on_stderr(self, block: bytes) -> None:
        self.stderr += block
        self.should_stop = self.should_stop or len(self.stderr) > _DESCRIBE_BYTES

    def tick(self, elapsed: float) -> None:
        self.timed_out = elapsed > _DESCRIBE_SECONDS
        self.should_stop = self.should_stop or self.timed_out
