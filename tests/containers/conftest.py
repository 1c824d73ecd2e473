"""Test images and the Docker host that runs them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from tests.conftest import ROOT
from windtunnel_worker.docker_host import DockerHost, Image

TEST_IMAGES = ("python", "tiny", "broken")


def docker(*words: str, check: bool = True, **options: object) -> str:
    """Run the docker command; its output."""
    done = subprocess.run(
        ["docker", *words], capture_output=True, text=True, check=False, cwd=ROOT, **options
    )  # type: ignore[call-overload]
    assert done.returncode == 0 or not check, done.stderr
    return str(done.stdout)


@pytest.fixture(scope="session")
def host() -> DockerHost:
    """Never skipped; `.ci/docker` brings an Engine where there is none."""
    host = DockerHost()
    assert host.is_available(), "the container tests need a running Docker Engine"
    return host


@pytest.fixture(scope="session")
def image(host: DockerHost) -> Callable[[str], Image]:
    """A test image by its name."""
    for name in TEST_IMAGES:
        file = "tests/containers/Dockerfile"
        docker("build", "-q", "--target", name, "-f", file, "-t", f"windtunnel-test/{name}", ".")
    return lambda name: host.image(f"windtunnel-test/{name}")


@pytest.fixture(scope="session")
def ns3_image(host: DockerHost) -> Image:
    file = "sim-images/ns3/Dockerfile"
    docker("build", "-q", "-f", file, "-t", "windtunnel/sim-ns3", ".")
    return host.image("windtunnel/sim-ns3")
