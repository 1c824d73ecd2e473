"""Commands that start a service of their own, or end, or are ended."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.commands import WINDTUNNEL, start, windtunnel
from tests.conftest import FAT_TREE, Service, new_data_folder, tiny_campaign
from windtunnel.embedded.folders import Folders


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    sweep = {"algorithm": ["newreno", "vegas"]}
    campaign = {"name": "cli", "scenario": FAT_TREE, "sweep": sweep, "replications": 2}
    path.write_text(json.dumps({**campaign, "baseline": {"algorithm": "newreno"}}))
    return path


def test_detach_needs_a_service_that_continues(tmp_path: Path, file: Path) -> None:
    done = windtunnel("run", file, "--detach", "--data", tmp_path / "nothing")
    assert done.returncode == 3
    assert done.stderr.startswith("--detach needs a service that continues, and none is running")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_ctrl_c_names_the_campaign_that_continues(
    service: Service, tmp_path: Path, handler: Any
) -> None:
    """Also where a script's background job has inherited SIGINT as ignored."""
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("joined-long", offset=620, wall=60)))
    inherited = signal.signal(signal.SIGINT, handler)
    try:
        process = start("run", file, "--server", service.url)
    finally:
        signal.signal(signal.SIGINT, inherited)
    with process as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    campaign = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
    assert running.returncode == 130
    assert errors.splitlines() == [
        f"interrupted; campaign {campaign} continues on the service. To follow or cancel it:",
        f"  windtunnel watch {campaign} --server {service.url}",
        f"  windtunnel cancel {campaign} --server {service.url}",
    ]
    windtunnel("cancel", campaign, "--server", service.url)


def test_ctrl_c_with_a_service_of_its_own_says_how_to_continue(tmp_path: Path) -> None:
    folders = new_data_folder()
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("own-long", offset=621, wall=60)))
    with start("run", file, "--data", folders.data) as running:
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=40)
    assert running.returncode == 130
    assert re.fullmatch(
        "starting the service\n"
        "interrupted; campaign ([0-9a-f]+) and its finished runs are kept. To continue it, and to "
        rf"follow it from another terminal:\n  windtunnel serve --data {folders.data}\n"
        rf"  windtunnel watch \1 --data {folders.data}",
        errors.strip(),
    )
    assert "Look at it" not in output


def test_a_data_folder_that_is_moved_away_ends_the_run(tmp_path: Path) -> None:
    folders = new_data_folder()
    moved = folders.data.with_name(f"{folders.data.name}-moved")
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("moved", offset=622, wall=60)))
    with start("run", file, "--data", folders.data) as running:
        assert running.stdout is not None
        running.stdout.readline()
        folders.data.rename(moved)
        _, errors = running.communicate(timeout=40)
    assert running.returncode == 3
    assert f"the data folder {folders.data} was moved or deleted" in errors
    assert "are kept" not in errors
    assert processes_of(folders) == []


def test_serve_on_a_chosen_port_and_on_ipv6() -> None:
    folders = new_data_folder()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = windtunnel("serve", "--data", folders.data, "--port", str(port))
        new = folders.data.with_name(f"{folders.data.name}-new")
        unused = windtunnel("serve", "--data", new, "--port", str(port))
    assert refused.returncode == 3
    assert f"port {port} on 127.0.0.1 is taken by another process" in refused.stderr
    assert unused.returncode == 3
    assert "creating" not in unused.stdout + unused.stderr
    assert not new.exists()
    environment = {**os.environ, "WINDTUNNEL_PORT": str(port)}
    with subprocess.Popen(
        [WINDTUNNEL, "serve", "--data", folders.data, "--bind", "::1"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as serving:
        assert serving.stdout is not None
        url = f"http://[::1]:{port}"
        assert f"Windtunnel is at {url} " in serving.stdout.readline()
        bearer = {"Authorization": f"Bearer {folders.token.read_text().strip()}"}
        response = httpx2.get(f"{url}/api/v1/campaigns", headers={"Origin": url, **bearer})
        assert response.status_code == 200, response.text
        assert windtunnel("status", "--data", folders.data).returncode == 0
        serving.send_signal(signal.SIGINT)
        serving.wait(30)


def processes_of(folders: Folders) -> list[str]:
    """Command lines of all processes that use a data folder or belong to its service."""
    processes = []
    for folder in Path("/proc").iterdir():
        try:
            environment = (folder / "environ").read_bytes()
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folders.data).encode() in environment + line and folder.name != str(os.getpid()):
            processes.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return processes


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_or_killed_service_leaves_no_process(tmp_path: Path, how: signal.Signals) -> None:
    folders = new_data_folder()
    file = tmp_path / "long.json"
    file.write_text(json.dumps(tiny_campaign(sweep={"offset": [1, 2]}, wall=60)))
    with subprocess.Popen(
        [WINDTUNNEL, "serve", "--data", folders.data], stdout=subprocess.PIPE, text=True
    ) as serving:
        try:
            assert serving.stdout is not None
            assert "Windtunnel is at http://127.0.0.1:" in serving.stdout.readline()
            submitted = windtunnel("submit", file, "--data", folders.data)
            assert submitted.returncode == 0, submitted.stderr
            deadline = time.monotonic() + 60
            while not any("windtunnel-tiny" in line for line in processes_of(folders)):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            serving.send_signal(how)
            serving.wait(30)
        finally:
            serving.kill()  # or a failed assertion would wait for the service for ever
    assert folders.sockets.exists() == (how == signal.SIGKILL)
    deadline = time.monotonic() + 10
    while left := processes_of(folders):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def test_run_uses_the_service_of_the_data_folder(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="joined", offset=77)))
    done = windtunnel("run", file, "--data", service.folders.data)
    assert done.returncode == 0, done.stderr
    assert service.get("/campaigns", limit=1)["campaigns"][0]["name"] == "joined"
    second = windtunnel("serve", "--data", service.folders.data)
    assert second.returncode == 3
    assert f"another service is already running on {service.folders.data}" in second.stderr
    assert f"(at {service.url})" in second.stderr


def test_run_starts_a_service_of_its_own_and_ends_it(tmp_path: Path) -> None:
    folders = new_data_folder()
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="alone")))
    done = windtunnel("run", file, "--data", folders.data)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("starting the service\n")
    assert re.search(rf"^  windtunnel open [0-9a-f]+ --data {folders.data}$", done.stdout, re.M)
    assert not folders.sockets.exists()
    assert processes_of(folders) == []
