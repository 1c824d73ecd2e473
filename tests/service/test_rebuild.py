"""Rebuilding the simulator invalidates all cached runs."""

from __future__ import annotations

import os
import signal
from typing import Any

from tests.conftest import Service, tiny_campaign


def test_nothing_is_reused_after_a_rebuild_and_the_old_build_can_be_pinned(
    service: Service,
) -> None:
    first = service.wait(service.submit(tiny_campaign(offset=1))["id"])
    program = service.folders.simulators / "tiny" / "build" / "windtunnel-tiny"
    program.write_text(program.read_text() + "# an edit\n")
    os.utime(program.parent)
    worker = next(part for part in service.running._parts if part.name == "worker")
    os.kill(worker.child.pid, signal.SIGKILL)
    service.until(
        lambda: digest_of(service),
        lambda digest: digest != build_of(first),
    )
    second = service.submit(tiny_campaign(offset=1))
    assert second["reused_runs"] == 0
    assert service.wait(second["id"])["runs"]["succeeded"] == 1

    old = service.runs(first["id"])[0]["id"]
    refused = service.until(
        lambda: service.http.post(f"/runs/{old}/verify"),
        lambda response: response.status_code == 409,
        40,
    )
    assert "no worker offers the simulator tiny@" in refused.json()["detail"]

    # Nobody offers the old build any more: what is known of it can be had, what is not waits.
    pinned = f"tiny@{build_of(first)[:12]}"
    known = service.submit({**tiny_campaign(offset=1), "simulator": pinned})
    assert known["reused_runs"] == 1
    fresh = service.submit({**tiny_campaign(offset=2), "simulator": pinned})
    waiting = service.until(
        lambda: service.get(f"/campaigns/{fresh['id']}"), lambda state: state["note"], 40
    )
    assert waiting["note"].startswith(f"waiting for simulator {pinned}")
    run = service.get(f"/runs/{service.runs(fresh['id'])[0]['id']}")
    assert run["note"].startswith(f"waiting for simulator {pinned}")
    assert service.http.post(f"/campaigns/{fresh['id']}/cancel").json()["runs"]["cancelled"] == 1


def build_of(campaign: dict[str, Any]) -> str:
    digest: str = campaign["simulators"][0]["digest"]
    return digest


def digest_of(service: Service) -> str:
    simulators = service.get("/catalogue")["simulators"]
    digest: str = next(
        simulator["digest"] for simulator in simulators if simulator["name"] == "tiny"
    )
    return digest
