"""Distributions of flow records' fields and of packet delays, by cell."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
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
        assert (cell["n_values"], cell["n_missing"], cell["n_seeds"]) == (8, 0, 2)
        expected = {value: (place + 1) / 8 for place, value in enumerate(values)}
        assert [tuple(point) for point in cell["points"]] == list(expected.items())


def test_available_fields_have_units(service: Service, flows: str) -> None:
    shown = service.get(f"/campaigns/{flows}/distributions")
    assert shown["field"] == "goodput_mbps"
    units = {field["name"]: (field["title"], field["unit"]) for field in shown["available"]}
    assert units["packet_delay_ms_mean"] == ("packet delay mean", "ms")
    assert units["packet_delay_ms"] == ("packet delay", "ms")
    assert units["bytes"] == ("bytes", "B")
    assert units["retransmissions"] == ("retransmissions", "")
    assert not {"flow", "source", "path", "connected"} & units.keys()


def test_chosen_cells_and_integers(service: Service, flows: str) -> None:
    path = f"/campaigns/{flows}/distributions"
    shown = service.get(path, field="bytes", cell=[1])
    (cell,) = shown["cells"]
    assert (cell["cell"], cell["n_values"], cell["points"][-1][1]) == (1, 8, 1)
    response = service.http.get(path)
    headers = {"If-None-Match": response.headers["etag"]}
    assert service.http.get(path, headers=headers).status_code == 304


def test_wrong_fields_and_cells_are_refused(service: Service, flows: str) -> None:
    for parameters, parameter, message in (
        ({"field": "goodput"}, "query.field", "goodput_mbps"),
        ({"field": "path"}, "query.field", "not a numeric flow field or packet delay"),
        ({"cell": [0, 2]}, "query.cell", "no cell 2"),
        ({"cell": list(range(51))}, "query.cell", "50"),
    ):
        refused = service.http.get(f"/campaigns/{flows}/distributions", params=parameters)
        assert refused.status_code == 422
        (problem,) = refused.json()["errors"]
        assert problem["path"] == parameter
        assert message in problem["message"]


def test_packet_delays_are_pooled_over_flows_and_seeds(service: Service, flows: str) -> None:
    shown = service.get(f"/campaigns/{flows}/distributions", field="packet_delay_ms")
    assert (shown["of"], shown["title"], shown["unit"]) == ("packets", "packet delay", "ms")
    assert len(shown["cells"]) == 2
    for cell in shown["cells"]:
        runs = [run for run in service.runs(flows) if run["cell_index"] == cell["cell"]]
        counts: Counter[int] = Counter()
        for run in runs:
            for delay in service.get(f"/runs/{run['id']}/packet-delays")["packet_delays"]:
                counts[delay["delay_ns"]] += delay["packets"]
        packets = sum(counts.values())
        assert (cell["n_values"], cell["n_missing"], cell["n_seeds"]) == (packets, 0, 2)
        reached = accumulate(counts[delay] for delay in sorted(counts))
        expected = [
            (delay / 1e6, count / packets)
            for delay, count in zip(sorted(counts), reached, strict=True)
        ]
        assert [tuple(point) for point in cell["points"]] == expected


def test_packet_delays_are_added_over_seeds(service: Service) -> None:
    """1 ms has 1 + 2 packets in two seeds, 2 ms has 2 + 4, 3 ms has 3 + 6."""
    ended = service.wait(service.submit(tiny_campaign(delays=3, replications=2))["id"])
    shown = service.get(f"/campaigns/{ended['id']}/distributions", field="packet_delay_ms")
    assert [field["name"] for field in shown["available"]] == ["bytes", "packet_delay_ms"]
    (cell,) = shown["cells"]
    assert (cell["n_values"], cell["n_missing"], cell["n_seeds"]) == (18, 0, 2)
    assert cell["points"] == [[1, 3 / 18], [2, 9 / 18], [3, 1]]


def test_packet_delays_agree_with_the_metrics(service: Service, flows: str) -> None:
    """A quantile is at most the width of its range (2^-5) above the metric.

    The metric itself is the middle of a bucket 2^-11 wide, so within 2^-12 of the exact quantile.
    """
    exact = 2**-12
    for run in service.runs(flows):
        metrics = {m["name"]: m["value"] for m in service.get(f"/runs/{run['id']}")["metrics"]}
        delays = service.get(f"/runs/{run['id']}/packet-delays")["packet_delays"]
        packets = sum(delay["packets"] for delay in delays)
        for percent in (50, 95, 99):
            reached = accumulate(delay["packets"] for delay in delays)
            quantile_ms = next(
                delay["delay_ns"] / 1e6
                for delay, count in zip(delays, reached, strict=True)
                if count * 100 >= packets * percent
            )
            metric = metrics[f"packet_delay_ms_p{percent}"]
            assert metric * (1 - exact) <= quantile_ms <= metric * (1 + exact) * (1 + 2**-5)
        mean_ms = sum(delay["delay_ns"] * delay["packets"] for delay in delays) / packets / 1e6
        assert metrics["packet_delay_ms_mean"] <= mean_ms
        assert mean_ms <= metrics["packet_delay_ms_mean"] * (1 + 2**-5)
    for cell in service.get(f"/campaigns/{flows}/distributions", field="packet_delay_ms")["cells"]:
        of_seeds = [
            metric["value"]
            for run in service.runs(flows)
            if run["cell_index"] == cell["cell"]
            for metric in service.get(f"/runs/{run['id']}")["metrics"]
            if metric["name"] == "packet_delay_ms_p99"
        ]
        p99 = next(value for value, fraction in cell["points"] if fraction >= 0.99)
        assert min(of_seeds) * (1 - exact) <= p99 <= max(of_seeds) * (1 + exact) * (1 + 2**-5)


def test_unfinished_transfers_are_counted(service: Service) -> None:
    """A block takes 0.1 s alone on its link: some finish, the others have no completion time."""
    scenario = {
        "topology": {"kind": "dumbbell", "pairs": 4, "bottleneck": {"rate": "10Mbps"}},
        "workload": {"kind": "shuffle", "block": "60KB"},
        "duration": "250ms",
    }
    campaign = {**CAMPAIGN, "name": "unfinished", "scenario": scenario}
    ended = service.wait(service.submit(campaign)["id"])
    shown = service.get(f"/campaigns/{ended['id']}/distributions", field="fct_ms")
    for cell in shown["cells"]:
        times = [
            flow["fct_ms"]
            for run in service.runs(ended["id"])
            if run["cell_index"] == cell["cell"]
            for flow in service.get(f"/runs/{run['id']}/flows")["flows"]
        ]
        assert cell["n_missing"] == times.count(None) > 0
        assert cell["n_values"] == len(times) - times.count(None) > 0


def test_runs_without_packet_delays_have_no_such_field(service: Service) -> None:
    """As runs of simulators that do not report them."""
    campaign = service.wait(service.submit(tiny_campaign("without", offset=77))["id"])
    run = service.runs(campaign["id"])[0]
    assert service.get(f"/runs/{run['id']}/packet-delays") == {"packet_delays": []}
    path = f"/campaigns/{campaign['id']}/distributions"
    shown = service.get(path)
    assert [field["name"] for field in shown["available"]] == ["bytes"]
    refused = service.http.get(path, params={"field": "packet_delay_ms"})
    assert refused.status_code == 422


def test_without_flows_there_is_no_field(service: Service) -> None:
    campaign = service.wait(service.submit(tiny_campaign("none", misbehave="crash"))["id"])
    shown = service.get(f"/campaigns/{campaign['id']}/distributions")
    assert (shown["of"], shown["field"], shown["available"]) == ("flows", "", [])
    (cell,) = shown["cells"]
    assert (cell["n_values"], cell["n_seeds"], cell["points"]) == (0, 0, [])
