"""Finding campaigns: filters, sort orders with their cursors, facets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Service, tiny_campaign

DUMBBELL: dict[str, Any] = {
    "topology": {"kind": "dumbbell"},
    "workload": {"kind": "bulk", "flows": 1},
    "duration": "100ms",
}


@pytest.fixture(scope="module")
def ids(service: Service) -> dict[str, str]:
    """Five campaigns by name, all ended; `broken` has a failed run."""
    groups = {"kind": "bulk", "groups": [{"name": "a"}, {"name": "b", "algorithm": "vegas"}]}
    documents = [
        {
            "name": "rtt-study",
            "simulator": "ns3",
            "scenario": DUMBBELL,
            "sweep": {"algorithm": [{"kind": "vegas", "Alpha": 1}, "cubic", "vegas"]},
            "labels": {"branch": "main", "commit": "1f2e3d"},
        },
        {
            "name": "two_groups",
            "description": "100% Of Both",
            "simulator": "ns3",
            "scenario": {**DUMBBELL, "workload": groups},
            "sweep": {"workload.groups[0].algorithm": ["bbr"]},
        },
        {**tiny_campaign("Zebra", sweep={"offset": [1, 2, 3]}), "labels": {"branch": "main"}},
        tiny_campaign("apple"),
        tiny_campaign("broken", misbehave="crash"),
    ]
    submitted = {document["name"]: service.submit(document)["id"] for document in documents}
    for id_ in submitted.values():
        service.wait(id_)
    return submitted


def names(service: Service, **parameters: Any) -> list[str]:
    return [row["name"] for row in service.get("/campaigns", **parameters)["campaigns"]]


def test_a_campaign_names_the_kinds_in_its_cells(service: Service, ids: dict[str, str]) -> None:
    study = service.get(f"/campaigns/{ids['rtt-study']}")
    assert study["algorithms"] == ["vegas", "cubic"]
    assert (study["topologies"], study["workloads"]) == (["dumbbell"], ["bulk"])
    assert service.get(f"/campaigns/{ids['two_groups']}")["algorithms"] == ["bbr", "vegas"]
    tiny = service.get(f"/campaigns/{ids['apple']}")
    assert (tiny["algorithms"], tiny["topologies"], tiny["workloads"]) == ([], [], [])


def test_filters(service: Service, ids: dict[str, str]) -> None:
    everything = ["broken", "apple", "Zebra", "two_groups", "rtt-study"]
    assert names(service) == everything
    assert names(service, q="STUDY") == ["rtt-study"]
    assert names(service, q="100% of") == ["two_groups"]
    assert names(service, q="%") == ["two_groups"]
    assert names(service, q="_") == ["two_groups"]
    assert names(service, q="branch=MA") == ["Zebra", "rtt-study"]
    assert names(service, q="h=main,") == []
    assert "apple" in names(service, q=ids["apple"][:7])
    assert names(service, algorithm="cubic") == ["rtt-study"]
    assert names(service, algorithm=["cubic", "bbr"]) == ["two_groups", "rtt-study"]
    assert names(service, topology="dumbbell", algorithm="bbr") == ["two_groups"]
    assert names(service, topology="fat-tree") == []
    assert names(service, state="ended") == everything
    assert names(service, state="failures") == ["broken"]
    assert names(service, state=["planned", "failures"]) == ["broken"]
    assert names(service, submitter="nobody") == []
    owner = service.get("/campaigns")["campaigns"][0]["submitted_by"]
    assert names(service, submitter=owner) == everything
    assert names(service, label="branch=main", q="zebra") == ["Zebra"]


@pytest.mark.parametrize("limit", [1, 2])
def test_every_sort_order_has_cursors(service: Service, ids: dict[str, str], limit: int) -> None:
    alphabetic = ["apple", "broken", "rtt-study", "two_groups", "Zebra"]
    newest = ["broken", "apple", "Zebra", "two_groups", "rtt-study"]
    costs = {
        row["name"]: (row["predicted_cpu_seconds"], row["id"])
        for row in service.get("/campaigns")["campaigns"]
    }
    by_cost = sorted(costs, key=lambda name: costs[name])
    expected = {
        "-created": newest,
        "created": newest[::-1],
        "name": alphabetic,
        "-name": alphabetic[::-1],
        "cost": by_cost,
        "-cost": by_cost[::-1],
    }
    for sort, order in expected.items():
        listed: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = service.get("/campaigns", sort=sort, limit=limit, **cursor)
            assert len(page["campaigns"]) <= limit
            listed += [row["name"] for row in page["campaigns"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert listed == order, sort


def test_a_cursor_of_another_order_is_refused(service: Service, ids: dict[str, str]) -> None:
    cursor = service.get("/campaigns", sort="created", limit=1)["next_cursor"]
    for sort in ("-created", "name", "cost"):
        refused = service.http.get("/campaigns", params={"sort": sort, "cursor": cursor})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["path"] == "query.cursor"


def test_wrong_values_name_the_parameter(service: Service) -> None:
    for parameter, value in {"sort": "size", "state": "going"}.items():
        refused = service.http.get("/campaigns", params={parameter: value})
        assert refused.status_code == 422
        (problem,) = refused.json()["errors"]
        assert problem["path"].startswith(f"query.{parameter}")
        assert "'created'" in problem["message"] or "'failures'" in problem["message"]


def test_facets(service: Service, ids: dict[str, str]) -> None:
    facets = service.get("/campaigns/facets")
    assert facets["total"] == 5
    states = {"planned": 0, "running": 0, "ended": 5, "cancelled": 0, "failures": 1}
    assert facets["states"] == states
    assert facets["algorithms"] == [
        {"name": "vegas", "count": 2},
        {"name": "bbr", "count": 1},
        {"name": "cubic", "count": 1},
    ]
    assert facets["topologies"] == [{"name": "dumbbell", "count": 2}]
    assert facets["labels"] == [
        {"name": "branch=main", "count": 2},
        {"name": "commit=1f2e3d", "count": 1},
    ]
    (owner,) = facets["submitters"]
    assert owner["count"] == 5
