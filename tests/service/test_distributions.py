"""Distributions of flow records' fields, by cell."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Service, tiny_campaign

CAMPAIGN: dict[str, Any] = {
    "name": "flows",
    "simulator": "ns3",
    "scenario": {
        "topology": {"kind": "dumbbell", "pairs": 4},
        "workload": {"kind": "bulk", "flows": 4},
        "duration": "500ms",
    },
    "sweep": {"algorithm": ["newreno", "vegas"]},
    "replications": 2,
}


@pytest.fixture(scope="module")
def flows(service: Service) -> str:
    return str(service.wait(service.submit(CAMPAIGN)["id"])["id"])


def test_a_field_is_pooled_over_seeds(service: Service, flows: str) -> None:
    shown = service.get(f"/campaigns/{flows}/distributions", field="goodput_mbps")
    assert (shown["field"], shown["title"], shown["unit"]) == ("goodput_mbps", "goodput", "Mb/s")
    assert [cell["coordinates"] for cell in shown["cells"]] == [
        {"algorithm": "newreno"},
        {"algorithm": "vegas"},
    ]
    for cell in shown["cells"]:
        values = sorted(
            flow["goodput_mbps"]
            for run in service.runs(flows)
            if run["cell_index"] == cell["cell"]
            for flow in service.get(f"/runs/{run['id']}/flows")["flows"]
        )
        assert (cell["n_flows"], cell["n_seeds"]) == (8, 2)
        expected = {value: (place + 1) / 8 for place, value in enumerate(values)}
        assert [tuple(point) for point in cell["points"]] == list(expected.items())


def test_available_fields_have_units(service: Service, flows: str) -> None:
    shown = service.get(f"/campaigns/{flows}/distributions")
    assert shown["field"] == "goodput_mbps"
    units = {field["name"]: (field["title"], field["unit"]) for field in shown["available"]}
    assert units["packet_delay_ms_mean"] == ("packet delay mean", "ms")
    assert units["bytes"] == ("bytes", "B")
    assert units["retransmissions"] == ("retransmissions", "")
    assert not {"flow", "source", "path", "connected"} & units.keys()


def test_chosen_cells_and_integers(service: Service, flows: str) -> None:
    path = f"/campaigns/{flows}/distributions"
    shown = service.get(path, field="bytes", cell=[1])
    (cell,) = shown["cells"]
    assert (cell["cell"], cell["n_flows"], cell["points"][-1][1]) == (1, 8, 1)
    response = service.http.get(path)
    headers = {"If-None-Match": response.headers["etag"]}
    assert service.http.get(path, headers=headers).status_code == 304


def test_wrong_fields_and_cells_are_refused(service: Service, flows: str) -> None:
    for parameters, parameter, message in (
        ({"field": "goodput"}, "query.field", "goodput_mbps"),
        ({"field": "path"}, "query.field", "not a numeric field"),
        ({"cell": [0, 2]}, "query.cell", "no cell 2"),
        ({"cell": list(range(51))}, "query.cell", "50"),
    ):
        refused = service.http.get(f"/campaigns/{flows}/distributions", params=parameters)
        assert refused.status_code == 422
        (problem,) = refused.json()["errors"]
        assert problem["path"] == parameter
        assert message in problem["message"]


def test_without_flows_there_is_no_field(service: Service) -> None:
    campaign = service.wait(service.submit(tiny_campaign("none", misbehave="crash"))["id"])
    shown = service.get(f"/campaigns/{campaign['id']}/distributions")
    assert (shown["field"], shown["available"]) == ("", [])
    (cell,) = shown["cells"]
    assert (cell["n_flows"], cell["n_seeds"], cell["points"]) == (0, 0, [])
