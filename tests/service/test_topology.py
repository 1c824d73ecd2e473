"""A run's topology: nodes and links from the description, ports from the records."""

from __future__ import annotations

import copy
from typing import Any

from sqlalchemy import delete
from sqlalchemy.orm import Session

from tests.conftest import Service, tiny_campaign
from windtunnel.store import record_columns
from windtunnel.store.database import Database
from windtunnel.store.tables import RecordColumn, Run, Simulator

STAR = {
    "nodes": [
        {"tier": "host", "name": "host{}", "count": "net.hosts"},
        {"tier": "switch", "name": "switch", "count": "1.0"},
    ],
    "links": [{"from": "host", "to": "switch", "count": "1.0", "index": "0.0"}],
}
NET = {
    "default": {"kind": "star"},
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "kind": {"const": "star"},
                "hosts": {"type": "integer", "minimum": 1, "default": 2},
            },
            "x-layout": STAR,
        }
    ],
}


def finished_run(service: Service, name: str, offset: int) -> str:
    campaign = service.wait(service.submit(tiny_campaign(name, offset=offset))["id"])
    run_id: str = service.http.get(f"/campaigns/{campaign['id']}/runs").json()["runs"][0]["id"]
    return run_id


def describe_star(session: Session, run_id: str) -> None:
    run = session.get(Run, run_id)
    assert run is not None
    build = session.get(Simulator, run.simulator_digest)
    assert build is not None
    description: dict[str, Any] = copy.deepcopy(build.description)
    description["scenario"]["properties"]["net"] = NET
    build.description = description


def test_a_simulator_without_a_layout_has_an_empty_topology(service: Service) -> None:
    response = service.http.get(f"/runs/{finished_run(service, 'plain', 71)}/topology")
    assert response.status_code == 200
    assert response.json() == {"tiers": [], "nodes": [], "links": [], "paths": {}}


def test_links_have_the_ports_of_the_records(service: Service, database: Database) -> None:
    run_id = finished_run(service, "star", 72)
    path = ["host0.nic", "switch.port1"]
    flow = {"flow": 0, "source": 0, "destination": 1, "path": path}
    with database.transaction() as session:
        describe_star(session, run_id)
        session.execute(delete(RecordColumn).where(RecordColumn.run_id == run_id))
        record_columns.store(session, run_id, "flow", [flow])
        record_columns.store(session, run_id, "port", [{"port": "switch.port0"}])
    assert service.http.get(f"/runs/{run_id}/topology").json() == {
        "tiers": ["host", "switch"],
        "nodes": [
            {"name": "host0", "tier": "host"},
            {"name": "host1", "tier": "host"},
            {"name": "switch", "tier": "switch"},
        ],
        "links": [
            {"from": "host0", "to": "switch", "port_up": "host0.nic", "port_down": "switch.port0"},
            {"from": "host1", "to": "switch", "port_up": None, "port_down": "switch.port1"},
        ],
        "paths": {"0": path},
    }


def test_an_unknown_run_is_not_found(service: Service) -> None:
    assert service.http.get("/runs/ffffffff/topology").status_code == 404
