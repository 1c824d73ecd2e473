"""Percentiles over flows and fairness over time, by REST, command line and client."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.commands import windtunnel
from tests.conftest import Service, tiny_campaign
from windtunnel import Campaign, Client
from windtunnel.errors import InvalidRequestError

CAMPAIGN: dict[str, Any] = {
    "name": "flow-analysis",
    "simulator": "ns3",
    "scenario": {
        "topology": {"kind": "dumbbell", "pairs": 3},
        "workload": {
            "kind": "bulk",
            "groups": [{"name": "early", "flows": 2}, {"name": "late", "start": "600ms"}],
        },
        "duration": "2s",
        "series": [{"probe": "goodput", "at": "flows", "step": "100ms"}],
    },
    "sweep": {"algorithm": ["newreno", "vegas"]},
    "replications": 3,
}


@pytest.fixture(scope="module")
def campaign(service: Service) -> Campaign:
    return Client(service.url).submit(CAMPAIGN).wait(progress=False)


def goodput(service: Service, campaign: Campaign, cell: int) -> list[list[float]]:
    """Goodput of the flows of a cell, seed by seed."""
    runs = [run for run in service.runs(campaign.id) if run["cell_index"] == cell]
    return [
        [flow["goodput_mbps"] for flow in service.get(f"/runs/{run['id']}/flows")["flows"]]
        for run in sorted(runs, key=lambda run: run["seed_index"])
    ]


def test_percentiles_are_pooled_and_by_seed(service: Service, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.id}/flow-percentiles"
    shown = service.get(path, percentile=[50, 99])
    assert (shown["field"], shown["unit"]) == ("goodput_mbps", "Mb/s")
    for cell in shown["cells"]:
        seeds = goodput(service, campaign, cell["cell"])
        assert (cell["n_values"], cell["n_seeds"], cell["fewest"]) == (9, 3, 3)
        median, p99 = cell["percentiles"]
        assert median["pooled"] == sorted(value for seed in seeds for value in seed)[4]
        assert median["by_seed"]["mean"] == pytest.approx(np.mean([sorted(s)[1] for s in seeds]))
        assert p99["pooled"] == max(max(seed) for seed in seeds)
        assert p99["by_seed"]["mean"] == pytest.approx(np.mean([max(seed) for seed in seeds]))
        assert (median["is_extreme"], p99["is_extreme"]) == (False, True)
    assert any("p99 needs at least 100 flows a seed" in note for note in shown["notes"])
    response = service.http.get(path)
    unchanged = service.http.get(path, headers={"If-None-Match": response.headers["etag"]})
    assert unchanged.status_code == 304


def test_fairness_is_that_of_the_flows_goodput(service: Service, campaign: Campaign) -> None:
    shown = service.get(f"/campaigns/{campaign.id}/fairness")
    assert shown["window_s"] == 0.1
    for cell in shown["cells"]:
        runs = [run for run in service.runs(campaign.id) if run["cell_index"] == cell["cell"]]
        last = []
        for run in runs:
            names = [f"goodput flow{flow}" for flow in range(3)]
            series = [service.get(f"/runs/{run['id']}/series/{name}") for name in names]
            rates = [one["values"][-1] for one in series]
            last.append(sum(rates) ** 2 / (3 * sum(rate**2 for rate in rates)))
        end = cell["points"][-1]
        assert (end["time_s"], end["seeds"]) == (2, 3)
        assert end["mean"] == pytest.approx(np.mean(last))
        low, high = end["ci95"]
        assert high - end["mean"] == pytest.approx(end["mean"] - low)


def test_wider_windows(service: Service, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.id}/fairness"
    shown = service.get(path, window_ms=500, cell=1)
    (cell,) = shown["cells"]
    times = [point["time_s"] for point in cell["points"]]
    assert (shown["window_s"], cell["cell"], times) == (0.5, 1, [1.0, 1.5, 2.0])


@pytest.mark.parametrize(
    ("path", "parameters", "field", "message"),
    [
        ("flow-percentiles", {"field": "goodput"}, "query.field", "goodput_mbps"),
        ("flow-percentiles", {"percentile": 0}, "query.percentile.0", "greater than 0"),
        ("flow-percentiles", {"cell": 2}, "query.cell", "no cell 2"),
        ("fairness", {"window_ms": 250}, "query.window_ms", "0.25 s is not a multiple"),
    ],
)
def test_wrong_parameters_are_refused(
    service: Service, campaign: Campaign, path: str, parameters: Any, field: str, message: str
) -> None:
    refused = service.http.get(f"/campaigns/{campaign.id}/{path}", params=parameters)
    assert refused.status_code == 422
    (problem,) = refused.json()["errors"]
    assert problem["path"] == field
    assert message in problem["message"]


def test_runs_without_the_series_say_what_to_add(service: Service) -> None:
    scenario = {key: value for key, value in CAMPAIGN["scenario"].items() if key != "series"}
    campaign = service.submit({**CAMPAIGN, "scenario": scenario, "replications": 1})
    service.wait(campaign["id"])
    refused = service.http.get(f"/campaigns/{campaign['id']}/fairness")
    assert refused.status_code == 422
    assert "{probe: goodput, at: flows, step: 100ms}" in refused.json()["detail"]


def test_the_command_prints_both(service: Service, campaign: Campaign) -> None:
    printed = windtunnel("flows", campaign.id, "--percentile", "50", "--server", service.url).stdout
    assert "goodput in Mb/s, over flows" in printed
    assert "by seed ± 95 %" in printed
    assert printed.count("p50") == 2
    assert "flows of one run are not independent" in printed
    assert max(map(len, printed.splitlines()[:4])) <= 80


def test_data_frames(campaign: Campaign) -> None:
    percentiles = campaign.flow_percentiles(percentiles=[50, 90])
    assert list(percentiles.columns) == [
        *("cell", "algorithm", "field", "unit", "flows", "percent", "pooled"),
        *("mean", "ci_low", "ci_high", "seeds"),
    ]
    assert len(percentiles) == 4
    assert len(percentiles.attrs["notes"]) >= 2
    fairness = campaign.fairness(window_ms=500)
    assert fairness.groupby("algorithm")["time_s"].max().to_dict() == {"newreno": 2, "vegas": 2}
    assert fairness["mean"].between(1 / 3, 1).all()
    assert not math.isnan(fairness["ci_low"].iloc[-1])


def test_seeds_with_equal_records_count_once(service: Service) -> None:
    document = tiny_campaign(offset=8100, modulus=1, replications=3)
    campaign = service.wait(service.submit(document)["id"])
    (cell,) = service.get(f"/campaigns/{campaign['id']}/flow-percentiles")["cells"]
    assert (cell["n_values"], cell["n_seeds"]) == (1, 1)
    assert {each["by_seed"]["n"] for each in cell["percentiles"]} == {1}
    assert {each["by_seed"]["ci95"] for each in cell["percentiles"]} == {None}


def test_flows_with_different_steps_have_no_fairness(service: Service) -> None:
    series = [
        {"probe": "goodput", "at": "flow0", "step": "50ms"},
        {"probe": "goodput", "at": "flow1", "step": "100ms"},
    ]
    scenario = {**CAMPAIGN["scenario"], "series": series, "duration": "1s"}
    campaign = service.submit({**CAMPAIGN, "scenario": scenario, "replications": 1})
    service.wait(campaign["id"])
    refused = service.http.get(f"/campaigns/{campaign['id']}/fairness")
    assert refused.status_code == 422
    assert "{probe: goodput, at: flows}" in refused.json()["detail"]


def test_fairness_of_a_part_of_the_flows_says_so(service: Service) -> None:
    series = [{"probe": "goodput", "at": f"flow{flow}", "step": "100ms"} for flow in (0, 1)]
    scenario = {**CAMPAIGN["scenario"], "series": series, "duration": "1s"}
    campaign = service.submit({**CAMPAIGN, "scenario": scenario, "replications": 2})
    service.wait(campaign["id"])
    shown = service.get(f"/campaigns/{campaign['id']}/fairness")
    assert shown["notes"] == ["4 runs have the goodput of a part of their flows only"]


def test_axes_named_like_columns_keep_their_values(service: Service) -> None:
    axis = [{"label": str(flows), "workload.groups[0].flows": flows} for flows in (1, 2)]
    scenario = {**CAMPAIGN["scenario"], "algorithm": "newreno", "duration": "1s"}
    document = {**CAMPAIGN, "scenario": scenario, "sweep": {"flows": axis}, "replications": 1}
    campaign = Client(service.url).submit(document).wait(progress=False)
    assert set(campaign.flow_percentiles(percentiles=50)["flows_axis"]) == {1, 2}
    assert set(campaign.flow_percentiles(percentiles=50)["flows"]) == {2, 3}
    assert set(campaign.fairness()["flows"]) == {1, 2}
    with pytest.raises(InvalidRequestError, match="percentiles: is empty"):
        campaign.flow_percentiles(percentiles=[])
