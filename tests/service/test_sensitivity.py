"""Designs and sensitivity analyses through the service: submit, run, analyze."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import windtunnel
from tests.conftest import Service, tiny_campaign

# value = offset + seed % modulus: with modulus above all seeds only the offset matters.
OVER = {"offset": [0, 1000, "integer"], "modulus": [100, 1000, "integer"]}


def run(service: Service, campaign: dict[str, Any]) -> str:
    submitted: str = service.submit(campaign)["id"]
    assert service.wait(submitted)["runs"]["failed"] == 0
    return submitted


@pytest.fixture(scope="module")
def saltelli(service: Service) -> str:
    """Two settings of a facet: an active offset, and one that the goodput hides nothing of."""
    sweep = {"design": "saltelli", "n": 8, "over": OVER, "goodput": [1, 2]}
    campaign = tiny_campaign("saltelli", sweep=sweep, replications=2, baseline={"goodput": 1})
    return run(service, campaign)


def figures(analysis: dict[str, Any], axis: str) -> dict[str, float]:
    effect = next(e for e in analysis["effects"] if e["axes"] == [axis])
    return {name: figure["value"] for name, figure in effect["figures"].items()}


def test_a_dry_run_has_the_design(service: Service) -> None:
    sweep = {"design": "morris", "n": 5, "over": OVER}
    answer = service.http.post("/campaigns?dry_run=true", json=tiny_campaign(sweep=sweep))
    assert answer.status_code == 200, answer.text
    plan = answer.json()
    assert plan["design"] == {
        "kind": "morris",
        "n": 5,
        "levels": 4,
        "formula": "5 x (2 + 1)",
        "rows": 15,
        "points": len(plan["cells"]),
        "inputs": [
            {"name": "offset", "low": "0", "high": "1000", "scale": "integer"},
            {"name": "modulus", "low": "100", "high": "1000", "scale": "integer"},
        ],
    }
    grid = service.http.post("/campaigns?dry_run=true", json=tiny_campaign())
    assert grid.json()["design"] is None


def test_sobol_indices_of_each_setting(service: Service, saltelli: str) -> None:
    shown = service.get(f"/campaigns/{saltelli}")
    assert shown["axes"] == ["goodput", "offset", "modulus"]
    assert (shown["design"]["kind"], shown["design"]["rows"]) == ("saltelli", 32)
    content = service.get(f"/campaigns/{saltelli}/sensitivity", metric="value")
    assert (content["method"], content["axes"]) == ("sobol", ["offset", "modulus"])
    assert [analysis["setting"] for analysis in content["settings"]] == [
        {"goodput": "1"}, {"goodput": "2"},
    ]  # fmt: skip
    for analysis in content["settings"]:
        assert (analysis["used"], analysis["planned"], analysis["seeds"]) == (8, 8, [1, 2])
        assert analysis["noise"] == pytest.approx(0, abs=1e-12)  # both seeds shift all points
        assert figures(analysis, "modulus")["total"] == 0
        assert figures(analysis, "offset")["total"] == pytest.approx(1, abs=0.4)  # 8 blocks
        assert analysis["conclusion"].startswith("offset explains")
    where = service.get(f"/campaigns/{saltelli}/sensitivity", metric="value", where="goodput=2")
    assert [analysis["setting"] for analysis in where["settings"]] == [{"goodput": "2"}]
    constant = service.get(f"/campaigns/{saltelli}/sensitivity", metric="goodput_mbps")
    assert constant["settings"][0]["conclusion"].endswith(
        "does not vary: it is 2.50 Mb/s everywhere"
    )


def test_what_lists_cells_knows_no_product_of_sampled_axes(service: Service, saltelli: str) -> None:
    cells = service.get(f"/campaigns/{saltelli}")["cells"]
    comparison = service.get(f"/campaigns/{saltelli}/comparison", metric="value")
    assert len(comparison["cells"]) == cells
    baselines = [cell["is_baseline"] for cell in comparison["cells"]]
    assert baselines.count(True) == cells / 2
    assert len(service.runs(saltelli)) == 2 * cells
    run_id = service.runs(saltelli)[0]["id"]
    assert service.get(f"/runs/{run_id}/siblings")["axes"] == ["goodput", "offset", "modulus"]
    other = service.get(f"/campaigns/{saltelli}/comparison", baseline="goodput=2")
    assert other["baseline"] == {"goodput": "2"}


def test_sampled_axes_have_no_baseline(service: Service, saltelli: str) -> None:
    shown = service.get(f"/campaigns/{saltelli}/comparison")["cells"][0]["coordinates"]
    answer = service.http.get(
        f"/campaigns/{saltelli}/comparison", params={"baseline": f"offset={shown['offset']}"}
    )
    assert answer.status_code == 422
    assert "'offset' is not an axis of the campaign (axes: goodput)" in answer.json()["detail"]
    gate = {"metric": "value", "require": "better", "against": {"offset": shown["offset"]}}
    answer = service.http.post(f"/campaigns/{saltelli}/gates", json={"gates": [gate]})
    assert answer.status_code == 422
    assert "is sampled by the design" in answer.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("metric=valu", "'valu' is not a metric; did you mean 'value'?"),
        ("metric=value&where=goodput", "'goodput' is not an axis and its label, such as"),
        ("metric=value&where=goodput=3", "'3' is not on the axis goodput (1, 2)"),
        ("metric=value&where=offset=3", "offset is sampled by the design"),
        ("metric=value&where=x=3", "'x' is not an axis of the campaign (goodput, offset,"),
    ],
)
def test_refused_queries(service: Service, saltelli: str, query: str, message: str) -> None:
    answer = service.http.get(f"/campaigns/{saltelli}/sensitivity?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert message in answer.json()["detail"]


def test_the_variance_of_a_grid(service: Service) -> None:
    """value = offset + seed: variances 1 and 2/3."""
    sweep = {"offset": [0, 2], "modulus": [100, 200]}
    campaign = run(service, tiny_campaign("grid", sweep=sweep, replications=3))
    assert service.get(f"/campaigns/{campaign}")["design"] is None
    content = service.get(f"/campaigns/{campaign}/sensitivity", metric="value")
    (analysis,) = content["settings"]
    shares = {
        (effect["kind"], *effect["axes"]): effect["figures"]["share"]["value"]
        for effect in analysis["effects"]
    }
    assert shares == pytest.approx(
        {
            ("axis", "offset"): 0.6,
            ("axis", "modulus"): 0,
            ("interaction", "offset", "modulus"): 0,
            ("seed",): 0.4,
            ("noise",): 0,
        }
    )
    assert (
        analysis["conclusion"]
        == "offset explains 60 % of the variance of value; seeds and noise 40 %"
    )


def test_elementary_effects(service: Service) -> None:
    sweep = {"design": "morris", "n": 6, "over": OVER}
    campaign = run(service, tiny_campaign("morris", sweep=sweep))
    (analysis,) = service.get(f"/campaigns/{campaign}/sensitivity", metric="value")["settings"]
    assert figures(analysis, "offset")["mu"] == pytest.approx(1000, rel=0.01)
    assert figures(analysis, "modulus")["mu_star"] == 0


def test_rank_regression_and_more_seeds(service: Service) -> None:
    sweep = {"design": "lhs", "n": 20, "over": OVER}
    campaign = run(service, tiny_campaign("lhs", sweep=sweep))
    answer = service.http.post(f"/campaigns/{campaign}/replications", json={"replications": 2})
    assert answer.status_code == 202
    service.wait(campaign)
    (analysis,) = service.get(f"/campaigns/{campaign}/sensitivity", metric="value")["settings"]
    assert analysis["seeds"] == [1, 2]
    assert figures(analysis, "offset")["coefficient"] == pytest.approx(1, abs=1e-6)
    assert analysis["r_squared"] == pytest.approx(1)


def test_too_few_values_are_a_conflict(service: Service) -> None:
    sweep = {"design": "lhs", "n": 20, "over": OVER}
    campaign = service.submit(tiny_campaign("failing", sweep=sweep, misbehave="crash"))["id"]
    service.wait(campaign)
    answer = service.http.get(f"/campaigns/{campaign}/sensitivity", params={"metric": "value"})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert answer.json()["detail"] == (
        "0 of 20 rows are complete; at least 10 are needed: 20 failed or were cancelled; resume "
        "the campaign, or choose cells"
    )


def test_the_command_line_shows_indices(service: Service, saltelli: str, tmp_path: Path) -> None:
    target = tmp_path / "sensitivity.json"
    server = ("--server", service.url)
    done = windtunnel(
        "sensitivity", saltelli, "--metric", "value", "--where", "goodput=1",
        "--json", target, *server,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "value (things) of saltelli: Sobol' indices"
    assert lines[2] == "goodput 1"
    offset = next(line for line in lines if line.startswith("offset "))
    assert "█" * 10 in offset
    assert "offset explains" in done.stdout
    assert "note: 8 blocks, 2 seeds" in done.stdout
    document = json.loads(target.read_text())
    assert document["campaign"]["design"]["kind"] == "saltelli"
    assert [entry["metric"]["name"] for entry in document["analyses"]] == ["value"]
    wrong = windtunnel("sensitivity", saltelli, "--metric", "valu", *server)
    assert wrong.returncode == 2
    assert "did you mean 'value'?" in wrong.stderr


def test_a_default_metric_without_values_does_not_hide_the_others(
    service: Service, tmp_path: Path
) -> None:
    """With nine labels the goodput is a default metric; no run of these cells has one."""
    sweep = {"offset": [0, 1]}
    server = ("--server", service.url)
    campaign = run(service, tiny_campaign("some", sweep=sweep, labels=9))
    assert service.get(f"/campaigns/{campaign}")["default_metrics"] == ["value", "goodput_mbps"]
    target = tmp_path / "sensitivity.json"
    done = windtunnel("sensitivity", campaign, "--json", target, *server)
    assert done.returncode == 0, done.stderr
    assert "offset explains 100 %" in done.stdout
    message = "goodput_mbps: no seed has a value in every cell: 2 finished runs have no goodput"
    assert done.stderr.startswith(message)
    analyses = json.loads(target.read_text())["analyses"]
    assert [content["metric"]["name"] for content in analyses] == ["value"]
    one = windtunnel("sensitivity", campaign, "--metric", "goodput_mbps", *server)
    assert one.returncode == 2
    assert one.stderr.startswith("no seed has a value in every cell")

    failing = service.submit(tiny_campaign("none", sweep=sweep, labels=9, misbehave="crash"))["id"]
    service.wait(failing)
    none = windtunnel("sensitivity", failing, *server)
    assert none.returncode == 2
    assert [line.partition(":")[0] for line in none.stderr.splitlines()] == [
        "value", "goodput_mbps",
    ]  # fmt: skip
    assert none.stdout == ""


def test_the_command_line_plans_a_design_compactly(service: Service, tmp_path: Path) -> None:
    sweep = {"design": "saltelli", "n": 64, "over": OVER, "goodput": [1, 2]}
    file = tmp_path / "design.json"
    file.write_text(json.dumps(tiny_campaign(sweep=sweep)))
    done = windtunnel("plan", file, "--server", service.url)
    assert done.returncode == 0, done.stderr
    assert "design saltelli: 64 x (2 + 2) = 256 points" in done.stdout
    assert "x 2 goodput" in done.stdout
    assert "for each goodput: 1, 2" in done.stdout
    assert len(done.stdout.splitlines()) < 12
