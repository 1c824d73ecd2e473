"""The docker launcher in the real service: same records, and a reason for every failure."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FAT_TREE, Service, resolve, start_service, tiny_campaign
from tests.containers.conftest import docker
from tests.service import test_failures as failures
from tests.workers import worker_processes
from windtunnel.run import FailureReason
from windtunnel.settings import Settings
from windtunnel.simulator import (
    Cancelled,
    Failed,
    Limits,
    Lost,
    Outcome,
    ProcessLauncher,
    Succeeded,
)
from windtunnel.spec.description import Description
from windtunnel.store.database import Database
from windtunnel.store.simulators import installation_id
from windtunnel_worker import docker_launcher as docker_launcher_module
from windtunnel_worker.docker_host import DockerHost, DockerUnavailableError, Image
from windtunnel_worker.docker_launcher import INSTALLATION, DockerImages, DockerLauncher

LABELS = {"windtunnel.test": "launcher"}

SCENARIOS: dict[str, dict[str, Any]] = {
    "fat-tree": {**FAT_TREE, "algorithm": "cubic"},
    "dumbbell": {
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "20Mbps", "delay": "5ms"}},
        "workload": {"kind": "bulk", "flows": 3},
        "algorithm": "bbr",
        "duration": "2s",
    },
    "incast": {
        "topology": {"kind": "incast", "servers": 8},
        "workload": {"kind": "incast"},
        "algorithm": "ia-tcp",
        "duration": "300ms",
    },
}


def docker_launcher(host: DockerHost, image: Image, **settings: Any) -> DockerLauncher:
    offers = DockerImages(host, Settings(images=image.id, **settings), LABELS)
    (offered,) = offers.now().values()
    launcher = offered.launcher({})
    assert isinstance(launcher, DockerLauncher)
    return launcher


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_container_gives_the_same_bytes_as_a_process(
    host: DockerHost, ns3_image: Image, ns3: Description, ns3_program: Path, name: str
) -> None:
    """The image has another compiler and other system libraries."""
    scenario, problems = resolve(ns3, SCENARIOS[name])
    assert problems == []
    spec = {"simulator": "ns3", "seed_index": 3, "scenario": scenario}
    as_process = ProcessLauncher([str(ns3_program)], ns3).run(spec, Limits())
    in_container = docker_launcher(host, ns3_image).run(spec, Limits())
    assert isinstance(as_process, Succeeded), as_process
    assert isinstance(in_container, Succeeded), in_container
    assert in_container.result.events == as_process.result.events > 1000
    assert in_container.result.digest == as_process.result.digest


def test_a_removed_or_broken_image_is_reported_as_missing(
    host: DockerHost, image: Callable[[str], Image], tiny: Description
) -> None:
    gone = Image("sha256:" + "0" * 64, "gone", datetime.now(UTC))
    for missing in (gone, image("broken")):
        outcome = DockerLauncher(host, missing, tiny, Settings(), LABELS).run({}, Limits())
        assert isinstance(outcome, Failed)
        assert outcome.reason == FailureReason.IMAGE_MISSING
        assert "no such" in outcome.message.lower()
    assert host.containers(LABELS) == {}


def test_an_image_without_a_description_is_not_available(
    host: DockerHost, image: Callable[[str], Image], tiny: Description
) -> None:
    names = ",".join([image("broken").id, image("tiny").id, "windtunnel-test/there-is-none"])
    offers = DockerImages(host, Settings(images=names), LABELS)
    assert [simulator.description.name for simulator in offers.now().values()] == ["tiny"]


def test_no_simulator_is_available_while_docker_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///there/is/none.sock")
    offers = DockerImages(DockerHost(), Settings(images="windtunnel-test/tiny"), LABELS)
    assert offers.now() == {}


def test_an_image_is_described_again_after_a_docker_error(
    host: DockerHost, image: Callable[[str], Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of Docker, such as a restart, says nothing about the image."""
    docker_launcher_module._descriptions.clear()
    offers = DockerImages(host, Settings(images=image("tiny").id), LABELS)

    def restarting(*_: Any, **__: Any) -> None:
        raise DockerUnavailableError("Docker: connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(host, "execute", restarting)
        assert offers.now() == {}
    assert [simulator.description.name for simulator in offers.now().values()] == ["tiny"]


def test_a_host_that_cannot_start_containers_backs_off(
    host: DockerHost, image: Callable[[str], Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would claim every run of a campaign and lose each of them eight times."""
    offers = DockerImages(host, Settings(images=image("tiny").id), LABELS)
    (offered,) = offers.now().values()
    monkeypatch.setattr(host, "_host_config", lambda _: {"Runtime": "there-is-none"})
    outcome = offered.launcher({}).run(tiny_scenario(), Limits())
    assert isinstance(outcome, Lost)
    assert offers.now() == {}


def test_an_image_with_a_volume_is_not_available(host: DockerHost) -> None:
    """A volume would give it unlimited space on the host's disk."""
    name = "windtunnel-test/volume"
    docker(
        "build", "-q", "-t", name, "-f", "tests/containers/Dockerfile", "--target", "volume", "."
    )
    assert DockerImages(host, Settings(images=name), LABELS).now() == {}


def test_only_names_with_a_registry_are_pulled() -> None:
    names = {
        "windtunnel/sim-ns3": False,
        "sim-ns3": False,
        "registry.example/windtunnel/sim-ns3": True,
        "localhost:5000/sim": True,
        "windtunnel/sim-ns3@sha256:" + "0" * 64: True,
    }
    assert {name: docker_launcher_module._names_a_registry(name) for name in names} == names


def test_a_cancelled_run_is_stopped(host: DockerHost, image: Callable[[str], Image]) -> None:
    launcher = docker_launcher(host, image("tiny"))
    scenario = tiny_scenario(wall=60)
    begin = time.monotonic()
    outcome: Outcome = launcher.run(scenario, Limits(), lambda progress: progress is None)
    assert isinstance(outcome, Cancelled)
    assert time.monotonic() - begin < 30
    assert host.containers(LABELS) == {}


def tiny_scenario(**changes: Any) -> dict[str, Any]:
    scenario = {"duration": "10000000ns", "wall": 0, "offset": 0, "modulus": 1000000}
    return {
        "simulator": "tiny",
        "seed_index": 1,
        "scenario": {**scenario, "misbehave": "no", **changes},
    }


# The same as for a process, but for this service's own limits.
REASONS = {
    **failures.REASONS,
    "eat": ("out_of_memory", "64 MiB"),
    "hang": ("timed_out", "wall-clock limit of 12 s"),
}


@pytest.fixture(scope="module")
def service(host: DockerHost, image: Callable[[str], Image]) -> Iterator[Service]:
    """The service with the docker launcher; runs may use 12 s, 64 MiB and 8 MiB of output."""
    image("tiny")
    yield from start_service(
        launcher="docker",
        images="windtunnel-test/tiny",
        run_wall_seconds="12",
        run_memory_bytes=str(64 * 2**20),
        run_output_bytes=str(8 * 2**20),
        lease_seconds="5",
        reconcile_seconds="0.5",
    )


def test_misbehaving_simulators_fail_with_their_reason_and_block_no_other_run(
    service: Service, image: Callable[[str], Image]
) -> None:
    sweep = {"misbehave": [*REASONS, "no"]}
    campaign = service.wait(service.submit(tiny_campaign("poison", sweep=sweep))["id"], 120)
    assert campaign["runs"] == {
        "queued": 0, "running": 0, "succeeded": 1, "failed": len(REASONS), "cancelled": 0
    }  # fmt: skip
    for row in service.runs(campaign["id"]):
        run = service.get(f"/runs/{row['id']}")
        assert [attempt["image"] for attempt in run["attempts"]] == [image("tiny").reference]
        if row["coordinates"]["misbehave"] != "no":
            reason, expected = REASONS[row["coordinates"]["misbehave"]]
            assert (run["failure"], run["attempt"]) == (reason, 1)
            assert expected in run["message"]
            assert run["metrics"] == []
    crashed = next(
        r for r in service.runs(campaign["id"]) if r["coordinates"]["misbehave"] == "crash"
    )
    log = service.get(f"/runs/{crashed['id']}/log")["attempts"]
    assert "the model exploded at step 17" in log[0]["stderr"]


@pytest.fixture(scope="module")
def containers(service: Service) -> Callable[[], list[str]]:
    """Containers that execute runs of this service; others may be on the same host."""
    database = Database(service.database_url)
    with database.transaction() as session:
        installation = f"label={INSTALLATION}={installation_id(session)}"
    database.close()
    return lambda: docker(
        "ps", "-q", "--filter", installation, "--filter", "label=windtunnel.run"
    ).split()


Containers = Callable[[], list[str]]


def test_a_container_killed_from_outside_costs_an_attempt_and_no_run(
    service: Service, containers: Containers
) -> None:
    campaign = service.submit(tiny_campaign(offset=100, wall=4))
    run_id = service.runs(campaign["id"])[0]["id"]
    (container,) = service.until(containers, bool)
    labels = docker("inspect", "-f", "{{json .Config.Labels}}", container)
    assert f'"windtunnel.run":"{run_id}"' in labels
    assert '"windtunnel.attempt":"1"' in labels
    docker("kill", container)
    assert service.wait(campaign["id"])["runs"]["succeeded"] == 1
    assert service.attempts(run_id) == [(1, "lost"), (2, "succeeded")]


@pytest.mark.parametrize(("victim", "offset"), [("pool process", 201), ("main process", 202)])
def test_a_dead_workers_container_is_removed_and_its_run_retried(
    service: Service, containers: Containers, victim: str, offset: int
) -> None:
    campaign = service.submit(tiny_campaign(offset=offset, wall=8))
    run_id = service.runs(campaign["id"])[0]["id"]
    (orphan,) = service.until(containers, bool)
    main, *pool = worker_processes(service)
    for pid in pool if victim == "pool process" else [main]:
        os.kill(pid, signal.SIGKILL)
    service.until(lambda: orphan[:12] in docker("ps", "-aq"), lambda listed: not listed, 40)
    assert service.wait(campaign["id"], 60)["runs"]["succeeded"] == 1
    assert service.attempts(run_id) == [(1, "lost"), (2, "succeeded")]
    assert containers() == []


def test_a_container_of_a_deleted_campaign_ends(service: Service, containers: Containers) -> None:
    campaign = service.submit(tiny_campaign(offset=300, wall=10))
    service.until(containers, bool)
    assert service.http.delete(f"/campaigns/{campaign['id']}").status_code == 204
    assert service.until(containers, lambda running: not running, 8) == []


def test_a_run_is_verified_in_a_container(service: Service) -> None:
    campaign = service.wait(service.submit(tiny_campaign(offset=400))["id"])
    run_id = service.runs(campaign["id"])[0]["id"]
    verification = service.http.post(f"/runs/{run_id}/verify").json()
    verdict = service.until(
        lambda: service.get(f"/verifications/{verification['id']}")["state"],
        lambda state: state not in ("queued", "running"),
    )
    assert verdict == "identical"
