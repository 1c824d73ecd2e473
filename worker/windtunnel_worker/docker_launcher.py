"""Executes runs as containers: the launcher over `DockerHost`, and what images offer."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from windtunnel.errors import WindtunnelError
from windtunnel.run import FailureReason
from windtunnel.settings import Settings
from windtunnel.simulator import Limits, Outcome, Reception, Watch
from windtunnel.simulator.execution import LineSink
from windtunnel.spec.description import Description
from windtunnel_worker.docker_host import (
    Confines,
    DockerHost,
    DockerUnavailableError,
    Image,
    ImageMissingError,
)
from windtunnel_worker.offers import OfferedSimulator

log = logging.getLogger(__name__)

DESCRIBE = "windtunnel.describe"
INSTALLATION = "windtunnel.installation"
WORKER = "windtunnel.worker"
_DESCRIBE_BYTES = 16 * 2**20
_DESCRIBE_SECONDS = 60


class DockerLauncher:
    """Starts one container per run."""

    def __init__(
        self,
        host: DockerHost,
        image: Image,
        description: Description,
        settings: Settings,
        labels: Mapping[str, str],
    ) -> None:
        self._host = host
        self._image = image
        self._description = description
        self._settings = settings
        self._labels = dict(labels)

    def run(
        self,
        spec: Mapping[str, Any],
        limits: Limits,
        watch: Watch | None = None,
        sink: LineSink | None = None,
    ) -> Outcome:
        """Execute a run spec to its end. Never raises for what the simulator or Docker does."""
        reception = Reception(self._description, limits, watch or (lambda _: True), sink)
        confines = Confines(limits.memory_bytes, self._settings.run_cpus, self._settings.run_pids)
        stdin = json.dumps(spec).encode()
        begin = time.monotonic()
        try:
            ending = self._host.execute(self._image, [], stdin, confines, self._labels, reception)
        except ImageMissingError as error:
            return Outcome(None, FailureReason.IMAGE_MISSING, str(error), "", 0)
        except DockerUnavailableError as error:
            elapsed = time.monotonic() - begin
            return Outcome(None, None, str(error), "", elapsed, executor_lost=True)
        return reception.conclude(ending, time.monotonic() - begin)


class DockerOffers:
    """The simulators in the images of the allow list, as far as they are here right now.

    A tag that points to a new image is noticed; the old image's runs can be executed as long as it
    exists. Nothing is offered while Docker is away, so that no run is claimed in vain.
    """

    def __init__(self, host: DockerHost, settings: Settings, labels: Mapping[str, str]) -> None:
        self._host = host
        self._settings = settings
        self._labels = dict(labels)
        self._described: dict[str, Description | None] = {}
        self._images: dict[str, Image] = {}

    @property
    def allowed(self) -> Sequence[str]:
        """The allow list."""
        return [name.strip() for name in self._settings.images.split(",") if name.strip()]

    def pull_missing(self) -> None:
        """Fetch images that are not here; what can't be fetched is said and left out."""
        for name in self.allowed:
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

    def now(self) -> dict[str, OfferedSimulator]:
        """Simulators by digest."""
        if not self._host.answers():
            return {}
        for name in self.allowed:
            self._look_at(name)
        offered: dict[str, OfferedSimulator] = {}
        for image in list(self._images.values()):
            description = self._described[image.id]
            if description is not None and self._exists(image):
                offered[description.digest] = self._offer(image, description)
        return offered

    def _look_at(self, name: str) -> None:
        try:
            image = self._host.image(name)
        except WindtunnelError as error:
            if name not in self._described:
                log.warning("%s is not offered: %s", name, error)
                self._described[name] = None
            return
        self._described.pop(name, None)
        if image.id not in self._described:
            self._images[image.id] = image
            self._described[image.id] = self._describe(name, image)

    def _exists(self, image: Image) -> bool:
        try:
            self._host.image(image.id)
        except WindtunnelError:
            return False
        return True

    def _describe(self, name: str, image: Image) -> Description | None:
        answer = _Answer()
        confines = Confines(2**30, self._settings.run_cpus, self._settings.run_pids)
        labels = {**self._labels, DESCRIBE: image.id}
        try:
            ending = self._host.execute(image, ["describe"], b"", confines, labels, answer)
            if ending.exit_code != 0:
                said = answer.errors.decode(errors="replace").strip()[-500:]
                raise ImageMissingError(f"'describe' ended with {ending.exit_code}: {said}")
            return Description.from_text(answer.output.decode())
        except (WindtunnelError, UnicodeDecodeError) as error:
            log.warning("%s (%s) is not offered: %s", name, image.reference, error)
            return None

    def _offer(self, image: Image, description: Description) -> OfferedSimulator:
        created = datetime.fromisoformat(image.created[:19]).replace(tzinfo=UTC)

        def launcher(labels: Mapping[str, str]) -> DockerLauncher:
            every = {**self._labels, **labels}
            return DockerLauncher(self._host, image, description, self._settings, every)

        return OfferedSimulator(description, created, image.reference, launcher)


class _Answer:
    """Collects what `describe` prints, within reason."""

    def __init__(self) -> None:
        self.output = bytearray()
        self.errors = bytearray()
        self.over = False

    def take_output(self, block: bytes) -> None:
        self.output += block
        self.over = self.over or len(self.output) > _DESCRIBE_BYTES

    def take_stderr(self, block: bytes) -> None:
        self.errors += block
        self.over = self.over or len(self.errors) > _DESCRIBE_BYTES

    def tick(self, elapsed: float) -> None:
        self.over = self.over or elapsed > _DESCRIBE_SECONDS
