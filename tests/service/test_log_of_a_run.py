"""A run's id leads through the logs: who asked for it, each attempt, and who read its result."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Service, eventually, start_service, tiny_campaign


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(
        lease_seconds="2", reconcile_seconds="0.5", log_format="json", log_level="INFO"
    )


def lines(log: Path, word: str) -> list[dict[str, Any]]:
    """The lines of a log with this word in them, as `grep` finds them."""
    found = [line for line in log.read_text().splitlines() if word in line]
    return [json.loads(line) for line in found if line.startswith("{")]


def messages(log: Path, run: str) -> list[tuple[int, str]]:
    """Attempts and messages of a run's lines; numbers of processes and workers' names left out."""
    found = [(line["attempt"], line["message"]) for line in lines(log, run)]
    return [
        (attempt, " ".join(message.split()[:2]) if "ed " in message else message)
        for attempt, message in found
    ]


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def test_a_runs_id_finds_its_whole_story(service: Service) -> None:
    campaign = service.submit(tiny_campaign(wall=1))
    (run,) = service.runs(campaign["id"])
    worker, api = service.folders.logs / "worker.log", service.folders.logs / "api.log"

    def process() -> int | None:
        started = [line["message"] for line in lines(worker, run["id"])][1:2]
        return int(started[0].removeprefix("started process ")) if started else None

    os.kill(parent(eventually(process)), signal.SIGKILL)
    service.wait(campaign["id"])
    service.get(f"/runs/{run['id']}")
    # A line follows what it is about, as the request's follows the answer.
    eventually(lambda: messages(worker, run["id"])[6:] or None)
    assert messages(worker, run["id"]) == [
        (1, "claimed by"),
        (1, "started process"),
        (1, "lost: its lease expired"),
        (2, "claimed by"),
        (2, "started process"),
        (2, "succeeded"),
        (2, "landed: succeeded"),
    ]
    eventually(lambda: lines(api, run["id"])[1:] or None)
    submitted, asked = lines(api, run["id"])
    assert (submitted["message"], submitted["campaign"]) == ("runs of a campaign", campaign["id"])
    (request,) = [
        line for line in lines(api, submitted["request"]) if line["logger"] == "windtunnel.requests"
    ]
    assert (request["message"], request["token"]) == ("POST '/api/v1/campaigns' 202", "owner")
    assert asked["message"] == f"GET '/api/v1/runs/{run['id']}' 200"
    assert asked["run"] == run["id"]


def test_a_verifications_lines_name_its_run(service: Service) -> None:
    campaign = service.submit(tiny_campaign(offset=7))
    service.wait(campaign["id"])
    (run,) = service.runs(campaign["id"])
    verification = service.http.post(f"/runs/{run['id']}/verify").json()["id"]
    log = service.folders.logs / "worker.log"
    service.until(
        lambda: [line["message"] for line in lines(log, verification)],
        lambda found: "landed: succeeded" in found,
    )
    for line in lines(log, verification):
        assert (line["run"], line["attempt"]) == (run["id"], 1)
