"""Retention: each policy removes what it should, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import delete, func, null, select, text, update

from tests.conftest import Service, start_service, tiny_campaign
from windtunnel.retention import Policies
from windtunnel.store import controller, retention, usage
from windtunnel.store.database import Database
from windtunnel.store.tables import (
    Attempt,
    AuditEntry,
    Base,
    Campaign,
    CampaignRun,
    MetricRow,
    Run,
    SeriesRow,
)

OLD = text("now() - interval '40 days'")
MONTH = 30.0
_offsets = iter(range(100_000, 200_000, 100))


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Its own policies are off."""
    yield from start_service(retention_runs_days="0", lease_seconds="4", reconcile_seconds="0.5")


def ended(service: Service, runs: int = 2, **changes: Any) -> dict[str, Any]:
    """A campaign of new runs, which have ended."""
    first = next(_offsets)
    offsets = {"sweep": {"offset": list(range(first, first + runs))}}
    return service.wait(service.submit(tiny_campaign(f"c{first}", **{**offsets, **changes}))["id"])


def age(database: Database, *campaigns: dict[str, Any]) -> None:
    """Make campaigns and their runs 40 days old, and give each run a log of 1,000 bytes."""
    ids = [campaign["id"] for campaign in campaigns]
    runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id.in_(ids))
    with database.transaction() as session:
        session.execute(update(Attempt).where(Attempt.run_id.in_(runs)).values(stderr="x" * 1000))
        for run_id in session.scalars(runs).all():
            usage.measure(session, run_id)
            controller.refresh_totals(session, [run_id])
        session.execute(update(Run).where(Run.id.in_(runs)).values(ended_at=OLD, created_at=OLD))
        session.execute(
            update(Campaign).where(Campaign.id.in_(ids), Campaign.state == "cancelled")
            .values(cancelled_at=OLD)
        )  # fmt: skip


def prune(service: Service, **policies: Any) -> dict[str, tuple[int, int]]:
    """(count, bytes) by policy."""
    answer = service.http.post("/prune", json=policies)
    assert answer.status_code == 200, answer.text
    assert answer.json()["more"] is False
    return {row["policy"]: (row["count"], row["bytes"]) for row in answer.json()["pruned"]}


def contents(database: Database) -> dict[str, str]:
    """A digest of every table's rows, but for what services write by themselves."""
    digests = {}
    with database.transaction() as session:
        for name in Base.metadata.tables:
            if name not in ("worker", "token", "cpu_use"):
                rows = session.scalars(text(f"SELECT t::text FROM {name} AS t ORDER BY 1"))
                digests[name] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return digests


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


def stored(database: Database, campaign: dict[str, Any]) -> dict[str, Any]:
    """Counts of a campaign's stored rows: runs, metrics, series, characters of logs."""
    runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign["id"])
    with database.transaction() as session:
        return {
            "runs": session.scalar(select(func.count()).where(Run.id.in_(runs))),
            "metrics": session.scalar(select(func.count()).where(MetricRow.run_id.in_(runs))),
            "series": session.scalar(select(func.count()).where(SeriesRow.run_id.in_(runs))),
            "log": session.scalar(
                select(func.sum(func.length(Attempt.stderr))).where(Attempt.run_id.in_(runs))
            ),
        }


EVERYTHING = {"runs": MONTH, "cancelled": MONTH, "series": MONTH, "logs": MONTH, "audit": MONTH}


@pytest.fixture
def clean(service: Service) -> None:
    """Nothing to prune is left of other tests."""
    for campaign in service.get("/campaigns", limit=500)["campaigns"]:
        service.http.delete(f"/campaigns/{campaign['id']}")


def unreferenced(database: Database, campaign: dict[str, Any]) -> list[str]:
    """Take a campaign away without its runs, as a restored backup may be; ids of the runs."""
    ids = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign["id"])
    with database.transaction() as session:
        runs = list(session.scalars(ids))
        session.execute(delete(Campaign).where(Campaign.id == campaign["id"]))
    return runs


@pytest.mark.usefixtures("clean")
def test_a_dry_run_counts_and_changes_nothing(service: Service, database: Database) -> None:
    campaign, lost = ended(service), ended(service, 3)
    age(database, campaign, lost)
    unreferenced(database, lost)
    with database.transaction() as session:
        size = session.scalar(select(func.sum(Run.series_bytes)).join(
            CampaignRun, CampaignRun.run_id == Run.id))  # fmt: skip
    before = contents(database)
    counted = prune(service, dry_run=True, **EVERYTHING)
    assert contents(database) == before
    assert counted["runs"][0] == 3
    assert counted["series"] == (2, size)  # those of runs that go entirely count there
    assert counted["logs"][0] == 2
    assert counted["cancelled"] == counted["audit"] == (0, 0)
    assert prune(service, **EVERYTHING) == counted
    assert prune(service, dry_run=True, **EVERYTHING) == dict.fromkeys(EVERYTHING, (0, 0))


@pytest.mark.usefixtures("clean")
def test_the_series_policy_removes_series_only(service: Service, database: Database) -> None:
    old, young = ended(service), ended(service)
    age(database, old)
    comparison = service.get(f"/campaigns/{old['id']}/comparison")
    before = stored(database, old)
    tables = contents(database)
    assert prune(service, series=MONTH)["series"][0] == 2
    assert changed(tables, contents(database)) == {"series", "run", "campaign", "audit_entry"}
    assert stored(database, old) == {**before, "series": 0}
    assert stored(database, young)["series"] == 2
    assert service.get(f"/campaigns/{old['id']}/comparison") == comparison
    run_id = service.runs(old["id"])[0]["id"]
    run = service.get(f"/runs/{run_id}")
    assert run["series"] == []
    assert run["series_pruned_at"] is not None
    assert run["log_pruned_at"] is None
    refused = service.http.get(f"/runs/{run_id}/series/steps")
    assert (refused.status_code, refused.json()["code"]) == (410, "pruned")
    assert f"windtunnel simulate --run {run_id[:12]}" in refused.json()["detail"]
    assert service.get(f"/campaigns/{old['id']}")["storage"]["runs_without_series"] == 2
    # Digests stay: the run can still be verified.
    verification = service.http.post(f"/runs/{run_id}/verify").json()["id"]
    state = service.until(
        lambda: service.get(f"/verifications/{verification}")["state"],
        lambda state: state not in ("queued", "running"),
    )
    assert state == "identical"
    # A run that never had a series of that name says so.
    never = service.http.get(f"/runs/{service.runs(young['id'])[0]['id']}/series/other")
    assert (never.status_code, never.json()["code"]) == (404, "not_found")


@pytest.mark.usefixtures("clean")
def test_the_logs_policy_removes_logs_only(service: Service, database: Database) -> None:
    old, failed = ended(service), ended(service, 1, misbehave="crash")
    age(database, old, failed)
    before = stored(database, old)
    tables = contents(database)
    assert prune(service, logs=MONTH)["logs"][0] == 3
    assert changed(tables, contents(database)) == {"attempt", "run", "campaign", "audit_entry"}
    assert stored(database, old) == {**before, "log": 0}
    run = service.runs(failed["id"])[0]
    assert (run["state"], run["failure"]) == ("failed", "sim_crashed")
    assert "the model exploded" in run["message"]
    log = service.get(f"/runs/{run['id']}/log")
    assert log["pruned_at"] is not None
    assert log["attempts"][0]["stderr"] == ""
    # A later attempt has a log again.
    service.http.post(f"/campaigns/{failed['id']}/resume")
    service.wait(failed["id"])
    first, second = service.get(f"/runs/{run['id']}/log")["attempts"]
    assert (first["stderr"], "Traceback" in second["stderr"]) == ("", True)


@pytest.mark.usefixtures("clean")
def test_the_runs_policy_removes_runs_that_no_campaign_contains(
    service: Service, database: Database
) -> None:
    lost, young, kept = ended(service), ended(service), ended(service)
    age(database, lost, kept)
    gone, stays = unreferenced(database, lost), unreferenced(database, young)
    assert prune(service, runs=MONTH)["runs"][0] == 2
    assert {service.http.get(f"/runs/{run}").status_code for run in gone} == {404}
    assert {service.http.get(f"/runs/{run}").status_code for run in stays} == {200}
    assert stored(database, kept)["runs"] == 2
    assert prune(service, runs=0)["runs"][0] == 2


@pytest.mark.usefixtures("clean")
def test_the_cancelled_policy_spares_what_other_campaigns_contain(
    service: Service, database: Database
) -> None:
    first = next(_offsets)
    done = ended(service, sweep={"offset": [first, first + 1, first + 2]})
    shared = ended(service, sweep={"offset": [first]})
    # It reuses three runs, and has one of its own that goes on until it is cancelled.
    quick = [{"label": str(offset), "offset": first + offset} for offset in range(3)]
    slow = {"label": "slow", "offset": first, "wall": 19}
    cancelled = service.submit(tiny_campaign("cancelled", sweep={"which": [*quick, slow]}))
    assert cancelled["reused_runs"] == 3
    service.http.post(f"/campaigns/{cancelled['id']}/cancel")
    service.wait(cancelled["id"])
    age(database, done, shared, cancelled)
    assert prune(service, cancelled=MONTH)["cancelled"][0] == 1  # the slow one
    service.http.delete(f"/campaigns/{done['id']}")
    with database.transaction() as session:
        session.execute(update(Campaign).where(Campaign.id == cancelled["id"]).values(
            cancelled_at=func.now()))  # fmt: skip
    assert prune(service, cancelled=MONTH)["cancelled"][0] == 0  # cancelled only just now
    age(database, cancelled)
    assert prune(service, cancelled=MONTH)["cancelled"][0] == 2
    shown = service.get(f"/campaigns/{cancelled['id']}")
    assert (shown["pruned_runs"], shown["total_runs"]) == (3, 4)
    assert shown["runs"]["succeeded"] == 1  # the one that another campaign contains
    assert stored(database, shared)["runs"] == 1
    # Resumed, it computes them again.
    service.http.post(f"/campaigns/{cancelled['id']}/resume")
    resumed = service.wait(cancelled["id"])
    assert (resumed["pruned_runs"], resumed["runs"]["succeeded"]) == (0, 4)
    with database.transaction() as session:
        assert session.get_one(Campaign, cancelled["id"]).cancelled_at is None


@pytest.mark.usefixtures("clean")
def test_nothing_of_a_kept_campaign_is_pruned(service: Service, database: Database) -> None:
    first = next(_offsets)
    one = service.wait(service.submit(tiny_campaign(sweep={"offset": [first, first + 1]}))["id"])
    other = service.wait(
        service.submit(tiny_campaign(sweep={"offset": [first + 1, first + 2]}))["id"]
    )
    age(database, one, other)
    kept = service.http.patch(f"/campaigns/{one['id']}", json={"keep": True}).json()
    assert kept["keep"] is True
    before = stored(database, one)
    counted = prune(service, series=MONTH, logs=MONTH)
    assert (counted["series"][0], counted["logs"][0]) == (1, 1)  # of the other's own run
    assert stored(database, one) == before
    # A kept campaign that is cancelled keeps its runs, and so do those that share them.
    with database.transaction() as session:
        session.execute(update(Campaign).values(state="cancelled", cancelled_at=OLD, totals=null()))
    assert prune(service, cancelled=MONTH)["cancelled"][0] == 1
    assert stored(database, one) == before
    service.http.patch(f"/campaigns/{one['id']}", json={"keep": False})
    assert prune(service, cancelled=MONTH)["cancelled"][0] == 2


@pytest.mark.usefixtures("clean")
def test_a_run_in_execution_is_never_touched(service: Service, database: Database) -> None:
    running = service.submit(tiny_campaign(offset=next(_offsets), wall=4))
    verified = ended(service, 1, wall=2)
    age(database, verified)
    run_id = service.runs(verified["id"])[0]["id"]
    verification = service.http.post(f"/runs/{run_id}/verify").json()["id"]
    service.until(
        lambda: service.get(f"/campaigns/{running['id']}"),
        lambda campaign: campaign["state"] == "running" or campaign["ended"],
    )
    unreferenced(database, verified)
    (active,) = unreferenced(database, running)
    with database.transaction() as session:
        session.execute(update(Run).values(created_at=OLD))
    assert service.get(f"/runs/{active}")["state"] == "running"
    assert service.get(f"/verifications/{verification}")["state"] in ("queued", "running")
    assert prune(service, runs=0, series=0, logs=0) == {
        "runs": (0, 0), "series": (0, 0), "logs": (0, 0),
    }  # fmt: skip
    service.until(
        lambda: service.get(f"/verifications/{verification}")["state"],
        lambda state: state == "identical",
    )
    service.until(
        lambda: service.get(f"/runs/{active}")["state"], lambda state: state == "succeeded"
    )
    assert prune(service, runs=0)["runs"][0] == 2


@pytest.mark.usefixtures("clean")
def test_sizes_agree_with_a_count_by_hand(service: Service, database: Database) -> None:
    first = next(_offsets)
    one = service.wait(service.submit(tiny_campaign(sweep={"offset": [first, first + 1]}))["id"])
    other = service.wait(service.submit(tiny_campaign(sweep={"offset": [first + 1]}))["id"])
    age(database, one, other)

    def check() -> None:
        with database.transaction() as session:
            sizes = {
                run: session.scalar(BY_HAND, {"run": run})
                for run in session.scalars(select(Run.id))
            }
        listed = {row["id"]: row for row in service.get("/campaigns")["campaigns"]}
        (shared,) = (run["id"] for run in service.runs(other["id"]))
        for campaign in (one, other):
            expected = sum(sizes[run["id"]] or 0 for run in service.runs(campaign["id"]))
            assert listed[campaign["id"]]["stored_bytes"] == expected
            shown = service.get(f"/campaigns/{campaign['id']}")
            assert shown["stored_bytes"] == expected
            assert shown["storage"]["shared_bytes"] == sizes[shared]
        used = service.get("/usage")
        assert used["stored_bytes"] == sum(size or 0 for size in sizes.values())

    check()
    sizes = {name: size for name, (_, size) in prune(service, series=0, dry_run=True).items()}
    before = service.get("/usage")["stored_bytes"]
    prune(service, series=0)
    assert before - service.get("/usage")["stored_bytes"] == sizes["series"] > 0
    check()
    prune(service, logs=0)
    check()


BY_HAND = text("""
SELECT (SELECT pg_column_size(record_digests) FROM run WHERE id = :run)
    + (SELECT sum(pg_column_size(metric.*)) FROM metric WHERE run_id = :run)
    + (SELECT sum(pg_column_size(run_check.*)) FROM run_check WHERE run_id = :run)
    + (SELECT sum(coalesce(pg_column_size(integers), pg_column_size(numbers)))
        FROM record_column WHERE run_id = :run)
    + coalesce((SELECT sum(pg_column_size(data) + pg_column_size(preview))
        FROM series WHERE run_id = :run), 0)
    + coalesce((SELECT sum(pg_column_size(stderr)) FROM attempt
        WHERE run_id = :run AND stderr <> ''), 0)
""")


@pytest.mark.usefixtures("clean")
def test_the_audit_policy_keeps_the_last_month(service: Service, database: Database) -> None:
    with database.transaction() as session:
        for days in (10, 29, 31, 400):
            session.add(AuditEntry(action="test", object=str(days),
                                   at=text(f"now() - interval '{days} days'")))  # fmt: skip
    refused = service.http.post("/prune", json={"audit": 1})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "body.audit")
    assert prune(service, audit=365)["audit"][0] == 1
    count, size = prune(service, audit=MONTH)["audit"]
    assert (count, size > 0) == (1, True)
    entries = service.get("/audit", limit=500)["entries"]
    assert [entry["object"] for entry in entries if entry["action"] == "test"] == ["29", "10"]
    # What was pruned is itself in the log.
    newest = entries[0]
    assert (newest["actor"], newest["action"], newest["object"]) == ("owner", "prune", "audit")
    assert newest["detail"] == {"older_than_days": 30.0, "entries": 1, "bytes": size}


@pytest.mark.usefixtures("clean")
def test_only_admins_prune_and_only_owners_keep(service: Service, database: Database) -> None:
    campaign = ended(service)
    age(database, campaign)
    before = contents(database)
    other = service.client_of("mallory")
    path = f"/campaigns/{campaign['id']}"
    for answer in (
        other.post("/prune", json={"series": 0}),
        other.post("/prune", json={"dry_run": True}),
        other.patch(path, json={"keep": True}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    for body, field in (
        ({"series": -1}, "series"),
        ({"serie": 1}, "serie"),
        ({"logs": 1e9}, "logs"),
        ({"dry_run": "maybe"}, "dry_run"),
    ):
        answer = service.http.post("/prune", json=body)
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, f"body.{field}")
    assert service.http.patch(path, json={"keep": "yes"}).status_code == 422
    assert changed(before, contents(database)) == {"audit_entry"}  # of mallory's token
    mine = service.client_of("carol")
    own = mine.post("/campaigns?keep=true", json=tiny_campaign(offset=next(_offsets))).json()
    assert own["keep"] is True
    assert mine.patch(f"/campaigns/{own['id']}", json={"keep": False}).json()["keep"] is False
    entries = service.get("/audit", object=own["id"])["entries"]
    assert [
        (entry["actor"], entry["action"], entry["detail"].get("keep")) for entry in entries
    ] == [
        ("carol", "campaign.keep", False),
        ("carol", "campaign.submit", True),
    ]


def test_the_services_policies(service: Service) -> None:
    """Here all are off; the API then has nothing to prune."""
    assert prune(service) == {}
    assert Policies(series=0.0).days == {"series": 0.0}
    assert list(Policies(1, 2, 3, 4, 5).days) == ["runs", "cancelled", "series", "logs", "audit"]
    assert retention.SERVICE.bearer is None
