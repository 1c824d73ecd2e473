"""The compose stack: first steps, backup, and removal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

from chaos.stack import Stack, bridge_address, docker, until
from tests.conftest import FAT_TREE, ROOT

# Below those that the kernel gives to outgoing connections (from 32768 on).
PORTS = (8290, 15290, 16290)
HERE = ("docker-compose.yml",)
WITH_HOSTS = (*HERE, "docker-compose.hosts.yml")


def study(name: str, seeds: int = 2, **scenario: Any) -> dict[str, Any]:
    return {
        "name": name,
        "simulator": "ns3",
        "scenario": {**FAT_TREE, **scenario},
        "sweep": {"algorithm": ["newreno", "cubic", "vegas"]},
        "replications": seeds,
        "baseline": {"algorithm": "newreno"},
    }


def of_project(kind: str, project: str, *options: str) -> list[str]:
    label = f"label=com.docker.compose.project={project}"
    return docker(kind, "ls", "-q", "--filter", label, *options).split()


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    variables = {"WINDTUNNEL_PRIVATE": bridge_address(), "WINDTUNNEL_LEASE_SECONDS": "5"}
    variables["WINDTUNNEL_SLOTS"] = "2"
    with Stack("windtunnel-test", WITH_HOSTS, PORTS, variables) as stack:
        stack.compose("build", "--quiet")
        stack.up()
        yield stack


def with_stack(stack: Stack, *command: str) -> str:
    """Run a command that asks docker compose about this stack."""
    environment = {
        **os.environ,
        "COMPOSE_PROJECT_NAME": stack.project,
        "COMPOSE_ENV_FILES": str(stack.env_file),
        "COMPOSE_FILE": ":".join(str(ROOT / file) for file in WITH_HOSTS),
    }
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_curl_with_the_token_submits_and_the_browser_shows_results(stack: Stack) -> None:
    token = stack.secret("WINDTUNNEL_BOOTSTRAP_TOKEN")
    command = [
        "curl",
        "-s",
        f"{stack.url}/api/v1/campaigns",
        "-H",
        f"Authorization: Bearer {token}",
    ]
    command += ["-H", "Content-Type: application/json", "--data-binary", "@-"]
    done = subprocess.run(
        command, input=json.dumps(study("curl")), capture_output=True, text=True, check=True
    )
    campaign = json.loads(done.stdout)
    assert campaign["submitted_by"] == "first"
    assert stack.wait(campaign["id"], 120)["runs"]["succeeded"] == 6
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        arguments = ["--no-sandbox", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        page = browser.new_page()
        page.goto(f"{stack.url}/campaigns/{campaign['id']}")
        page.get_by_label("Token").fill("wt_00000000_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("the token is unknown, revoked or expired")).to_be_visible()
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("submitted by first")).to_be_visible()
        expect(page.get_by_test_id("progress")).to_contain_text("6/6 runs")
        page.get_by_role("link", name="Comparison", exact=True).click()
        expect(page.get_by_test_id("cells").get_by_text("vegas").first).to_be_visible()
        (cookie,) = page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Token")).to_be_visible()
        browser.close()


def test_only_the_worker_sees_docker_and_only_loopback_sees_the_api(stack: Stack) -> None:
    for service in ("postgres", "redis", "api", "worker"):
        (container,) = stack.containers(service)
        inspected = json.loads(docker("inspect", container))[0]
        mounts = [mount["Source"] for mount in inspected["Mounts"]]
        assert any("docker.sock" in mount for mount in mounts) == (service == "worker"), service
        ours = service in ("api", "worker")
        assert inspected["HostConfig"]["ReadonlyRootfs"] == (service != "postgres")
        if ours:
            assert docker("exec", container, "id", "-u").strip() == "10001"
    (api,) = stack.containers("api")
    assert docker("port", api).split() == ["8000/tcp", "->", f"127.0.0.1:{PORTS[0]}"]
    assert stack.http.get("/campaigns", headers={"Authorization": ""}).status_code == 401


# What the official image's entrypoint needs to give files to the user postgres, and to become it.
CAPABILITIES = {"postgres": ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]}


@pytest.mark.parametrize("service", ["postgres", "redis", "api", "worker"])
def test_each_service_is_limited_and_unprivileged(stack: Stack, service: str) -> None:
    (container,) = stack.containers(service)
    host = json.loads(docker("inspect", container))[0]["HostConfig"]
    assert host["Memory"] > 0
    assert host["PidsLimit"] > 0
    assert host["LogConfig"]["Config"] == {"max-file": "3", "max-size": "10m"}
    assert host["CapDrop"] == ["ALL"]
    capabilities = [name.removeprefix("CAP_") for name in host["CapAdd"] or []]
    assert capabilities == CAPABILITIES.get(service, [])
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    status = docker("exec", container, "cat", "/proc/1/status")
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    assert int(effective.split()[1], 16) == 0


@pytest.mark.parametrize(
    "files",
    [HERE, WITH_HOSTS, ("docker-compose.worker.yml",), (*WITH_HOSTS, "chaos/docker-compose.yml")],
)
def test_every_service_of_every_compose_file_is_limited(files: tuple[str, ...]) -> None:
    variables = ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "DOCKER_GID", "CHAOS_DISK")
    addresses = {"WINDTUNNEL_PRIVATE": "10.0.0.5", "WINDTUNNEL_FIRST_HOST": "10.0.0.5"}
    environment = {**os.environ, **dict.fromkeys(variables, "1"), **addresses}
    options = [word for file in files for word in ("-f", file)]
    command = ["docker", "compose", *options, "--profile", "*", "config", "--format", "json"]
    text = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    services = json.loads(text.stdout)["services"]
    assert services
    for name, service in services.items():
        # Not unless-stopped: see test_engine_crash.py
        assert service["restart"] in {"always", "no", "on-failure:3"}, name
        assert int(service["mem_limit"]) > 0, name
        assert service["pids_limit"] > 0, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        logging = service["logging"]
        assert logging["driver"] == "none" or logging["options"]["max-size"] == "10m", name


def test_images_are_small() -> None:
    """Over their Debian base: 40 MB for the simulator, 450 MB for a worker, 530 MB for the API."""

    def size(image: str) -> int:
        return int(docker("image", "inspect", image, "-f", "{{.Size}}"))

    base = size("debian:trixie-slim")
    for image, limit in (("sim-ns3", 40), ("api", 530), ("worker", 450)):
        assert size(f"windtunnel/{image}") - base <= limit * 1e6, image


def test_answers_503_with_retry_after_while_a_dependency_is_down(stack: Stack) -> None:
    for service, path in (("postgres", "/campaigns"), ("redis", "/ready")):
        stack.compose("stop", service)
        answer = stack.http.get(path)
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["retry-after"]) > 0
        assert stack.http.get("/health").status_code == 200
        stack.compose("start", service)
        stack.ask("GET", path)


def test_accepts_submissions_while_redis_is_down(stack: Stack) -> None:
    """Redis only wakes workers up; their reconcilers do so too once it is back."""
    stack.compose("stop", "redis")
    answer = stack.http.post("/campaigns", json=study("without redis", duration="100ms"))
    assert answer.status_code == 202
    stack.compose("start", "redis")
    assert stack.wait(answer.json()["id"], 120)["runs"]["succeeded"] == 6


def test_backup_destroy_restore(stack: Stack, tmp_path: Path) -> None:
    """The same campaigns, the same digests, the same tokens."""

    def everything() -> dict[str, Any]:
        campaigns = stack.ask("GET", "/campaigns", params={"limit": 500}).json()["campaigns"]
        return {
            campaign["id"]: [
                cell["digests"]
                for cell in stack.ask("GET", f"/campaigns/{campaign['id']}/comparison").json()[
                    "cells"
                ]
            ]
            for campaign in campaigns
        }

    stack.wait(stack.submit(study("kept")), 120)
    token = stack.ask("POST", "/tokens", json={"name": "kept", "scope": "read"}).json()["token"]
    before = everything()
    assert any(digests for cells in before.values() for digests in cells)
    file = tmp_path / "backup.dump"
    with_stack(stack, str(ROOT / "tools" / "backup"), str(file))
    stack.compose("down", "--volumes")
    assert of_project("volume", stack.project) == []
    with_stack(stack, str(ROOT / "tools" / "restore"), str(file))
    assert everything() == before
    # A damaged one changes nothing.
    damaged = tmp_path / "damaged.dump"
    damaged.write_bytes(file.read_bytes()[: file.stat().st_size * 3 // 4])
    with pytest.raises(AssertionError, match="nothing was changed"):
        with_stack(stack, str(ROOT / "tools" / "restore"), str(damaged))
    assert everything() == before
    authorized = stack.http.get("/campaigns", headers={"Authorization": f"Bearer {token}"})
    assert authorized.status_code == 200
    again = stack.campaign(stack.submit(study("kept")))
    assert again["reused_runs"] == 6


def test_compose_down_leaves_only_volumes(stack: Stack) -> None:
    """With three workers, and simulations under way."""
    stack.up("--scale", "worker=3")
    long = stack.submit(study("long", duration="600s"))
    runs = 6  # on three workers with two slots each
    until(lambda: len(stack.simulations()) == runs, 60, lambda: "they have not all begun")
    running = stack.simulations()
    begin = time.monotonic()
    stack.compose("down")
    assert time.monotonic() - begin < 45
    assert not set(running) & set(docker("ps", "-aq").split())
    assert (
        docker("ps", "-aq", "--filter", f"label=com.docker.compose.project={stack.project}") == ""
    )
    assert of_project("network", stack.project) == []
    assert len(of_project("volume", stack.project)) == 4  # two of them have a copy of a key
    stack.up("--scale", "worker=3")
    assert not stack.campaign(long)["ended"]
    # An orderly stop is nobody's failure: it costs no attempt of the eight.
    with stack.database() as connection:
        stopped = connection.execute(
            "SELECT run.attempt - first_attempt FROM run JOIN attempt ON run_id = run.id "
            "WHERE outcome = 'lost' AND attempt.message = 'its worker was stopped'"
        ).fetchall()
    assert len(stopped) == runs
    assert {row[0] for row in stopped} <= {0, 1}
    stack.ask("DELETE", f"/campaigns/{long}")
