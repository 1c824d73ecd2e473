"""Campaign files are planned in processes with limits; requests wait for one, or are told to."""

from __future__ import annotations

import json
import pickle
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import FAT_TREE, Service, tiny_campaign
from windtunnel.errors import SpecError
from windtunnel.settings import Settings
from windtunnel_api.planner import CampaignFile

SLOW: dict[str, Any] = {
    "name": "slow",
    "scenario": FAT_TREE,
    "sweep": {
        "algorithm": ["newreno", "cubic", "vegas", "bic", "yeah"],
        "topology.queue.limit": [f"{packets}p" for packets in range(10, 1010)],
    },
}


def answer_of(plan_file: str) -> tuple[int, Any]:
    """Exit code and answer of a planner whose plan_file is this function of Python."""
    program = f"import windtunnel_api.planner as planner\n{plan_file}\n"
    program += "planner.plan_file = plan_file\nplanner.CPU_SECONDS = 1\nplanner.main()\n"
    requests = pickle.dumps(Settings(database_url="postgresql+psycopg://"))
    requests += pickle.dumps(CampaignFile(b"{}", is_json=True))
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=requests,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, pickle.loads(done.stdout) if done.stdout else done.stderr


def test_a_planner_ends_at_its_cpu_limit() -> None:
    code, _ = answer_of("def plan_file(*_):\n    while True: pass")
    assert -code == signal.SIGXCPU


def test_a_planner_says_that_memory_is_short() -> None:
    code, answer = answer_of("def plan_file(*_):\n    return bytearray(2**30)")
    assert code == 0
    assert isinstance(answer, SpecError)
    assert "or 512 MiB; shorten its lists" in answer.problems[0].message


def test_problems_and_their_lines_come_back(service: Service) -> None:
    text = json.dumps(tiny_campaign(ofset=1), indent=1)
    answer = service.http.post(
        "/campaigns", content=text, headers={"Content-Type": "application/json"}
    )
    (problem,) = answer.json()["errors"]
    assert problem["path"] == "scenario.ofset"
    assert '"ofset"' in text.splitlines()[problem["line"] - 1]


def planners(service: Service) -> set[int]:
    part = next(part for part in service.running._parts if part.name == "API")
    children = Path(f"/proc/{part.child.pid}/task").glob("*/children")
    return {int(pid) for file in children for pid in file.read_text().split()}


def test_a_planner_that_died_is_replaced(service: Service) -> None:
    service.http.post("/campaigns?dry_run=true", json=tiny_campaign())
    (pid, *_) = planners(service)
    for pid in planners(service):
        subprocess.run(["kill", "-9", str(pid)], check=True)
    time.sleep(0.2)
    answer = service.http.post("/campaigns?dry_run=true", json=tiny_campaign())
    assert answer.status_code == 200, answer.text
    assert pid not in planners(service)


def test_planning_ends_when_the_client_hangs_up(service: Service) -> None:
    body = json.dumps(SLOW).encode()
    host, port = service.url.removeprefix("http://").split(":")
    service.http.post("/campaigns?dry_run=true", json=tiny_campaign())
    before = planners(service)
    with socket.create_connection((host, int(port))) as client:
        head = (
            f"POST /api/v1/campaigns HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {service.running.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        client.sendall(head.encode() + body)
        time.sleep(0.5)
        assert service.http.get("/health").status_code == 200
    service.until(lambda: before & planners(service), lambda same: len(same) < len(before), 5)
    assert not [c for c in service.get("/campaigns")["campaigns"] if c["name"] == "slow"]


def test_of_many_files_at_once_some_wait_and_others_are_told_to(service: Service) -> None:
    def send(_: int) -> httpx2.Response:
        with httpx2.Client(headers=service.headers, timeout=120) as http:
            return http.post(f"{service.url}/api/v1/campaigns?dry_run=true", json=wrong)

    wrong = {**SLOW, "sweep": {**SLOW["sweep"], "algorithm": ["newreno", "cubik"]}}
    with ThreadPoolExecutor(30) as threads:
        answers = list(threads.map(send, range(30)))
    waited = [answer for answer in answers if answer.status_code == 422]
    told = [answer for answer in answers if answer.status_code == 503]
    assert len(waited) >= 18
    assert len(waited) + len(told) == 30
    assert told
    for answer in told:
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.json()["detail"].startswith("too many campaigns are waiting to be planned")


@pytest.mark.parametrize("body", [b"{", b""])
def test_a_planner_is_used_again_after_a_refused_file(service: Service, body: bytes) -> None:
    def refused() -> int:
        headers = {"Content-Type": "application/json"}
        return service.http.post("/campaigns", content=body, headers=headers).status_code

    assert refused() == 422
    before = planners(service)
    assert refused() == 422
    assert planners(service) == before
