"""Pruning by workers and by command: two at once, killed in between, beside other work."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text, update

from tests.conftest import Service, start_service, tiny_campaign
from windtunnel.retention import Policies
from windtunnel.settings import Settings
from windtunnel.store import locks, retention
from windtunnel.store.database import Database
from windtunnel.store.tables import AuditEntry, Campaign, CampaignRun, Run, SeriesRow

SERIES = Policies(series=0.0)
_offsets = iter(range(100_000, 900_000, 1000))


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Its own policies are off."""
    yield from start_service(retention_runs_days="0", reconcile_seconds="0.5")


@pytest.fixture
def applying() -> Iterator[Service]:
    """A service with policies of its own."""
    yield from start_service(
        retention_runs_days="0",
        retention_series_days="0.00001",
        retention_check_seconds="0.2",
        reconcile_seconds="0.2",
    )


def many(service: Service, runs: int) -> dict[str, Any]:
    """A campaign with as many runs that have a series each."""
    first = next(_offsets)
    sweep = {"offset": [first]}
    campaign = service.submit(tiny_campaign(f"many{first}", sweep=sweep, replications=runs))
    return service.wait(campaign["id"], 120)


@pytest.fixture
def campaign(service: Service, database: Database) -> Iterator[dict[str, Any]]:
    """One real run, and 200 copies of it."""
    real = many(service, 1)
    with database.transaction() as session:
        for statement in COPIES.split(";"):
            session.execute(text(statement), {"id": real["id"]})
    yield real
    service.http.delete(f"/campaigns/{real['id']}")


COPIES = """
CREATE TEMPORARY TABLE copies ON COMMIT DROP AS
    SELECT run.*, md5(run.id || n) || md5(n::text) AS copy, n FROM run, generate_series(1, 200) AS n
    WHERE run.id = (SELECT run_id FROM campaign_run WHERE campaign_id = :id);
INSERT INTO run (id, state, scenario_digest, seed_index, simulator_name, simulator_digest,
    duration_ns, predicted_events, digest, stored_bytes, series_bytes, ended_at)
SELECT copy, state, scenario_digest, seed_index + n, simulator_name, simulator_digest, duration_ns,
    predicted_events, digest, stored_bytes, series_bytes, ended_at FROM copies;
INSERT INTO series SELECT copy, name, unit, first_ns, step_ns, length, maximum, mean, data, preview
    FROM copies JOIN series ON run_id = copies.id;
INSERT INTO campaign_run (campaign_id, cell_index, seed_index, run_id, simulator_digest, unfinished)
SELECT :id, 0, seed_index + n, copy, simulator_digest, false FROM copies
"""


def removed(database: Database) -> int:
    """Runs whose series were pruned according to the audit log."""
    with database.transaction() as session:
        entries = session.scalars(select(AuditEntry).where(AuditEntry.action == "prune")).all()
        return sum(entry.detail["runs"] for entry in entries)


def pruned_runs(database: Database) -> int:
    """Runs whose series were pruned; none is half pruned."""
    pruned = Run.series_pruned_at.is_not(None)
    has_series = Run.id.in_(select(SeriesRow.run_id))
    with database.transaction() as session:
        half = session.scalar(
            select(func.count()).where(
                (pruned == has_series) | (pruned != (Run.series_bytes == 0)),
                Run.state == "succeeded",
            )
        )
        assert half == 0
        return session.scalar(select(func.count()).where(pruned)) or 0


@pytest.fixture
def fresh(database: Database) -> None:
    """The audit log has no pruning, and no run was pruned."""
    with database.transaction() as session:
        session.execute(delete(AuditEntry).where(AuditEntry.action == "prune"))
        pruned = session.scalar(select(func.count()).where(Run.series_pruned_at.is_not(None)))
        assert pruned == 0


def prune_all(database: Database, wait: bool) -> int:
    """Prune as a worker or a request does until nothing is left; number of runs."""
    count = 0
    while True:
        with database.transaction() as session:
            batch = retention.prune_batch(session, SERIES, wait=wait)
        count += batch.pruned.count if batch.pruned else 0
        if not batch.more:
            return count


@pytest.mark.usefixtures("campaign", "fresh")
def test_two_at_once_prune_each_run_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_BATCH_RUNS", 10)
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda n: prune_all(database, wait=n > 0), range(4)))
    assert sum(counts) == 201
    assert sum(count > 0 for count in counts) > 1
    assert pruned_runs(database) == removed(database) == 201


_PRUNER = """
import sys
from windtunnel.retention import Policies
from windtunnel.store import retention
from windtunnel.store.database import Database
retention._BATCH_RUNS = 10
database = Database(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with database.transaction() as session:
        retention.prune_batch(session, Policies(series=0.0))
with database.transaction() as session:
    retention.prune_batch(session, Policies(series=0.0))
    session.flush()
    print("in the middle", flush=True)
    sys.stdin.read()
"""


@pytest.mark.usefixtures("fresh")
def test_who_is_killed_in_between_leaves_less_to_do(
    service: Service, database: Database, campaign: dict[str, Any]
) -> None:
    pruner = subprocess.Popen(
        [sys.executable, "-c", _PRUNER, service.database_url, "3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert pruner.stdout is not None
    assert pruner.stdout.readline() == "in the middle\n"
    os.kill(pruner.pid, signal.SIGKILL)
    pruner.wait()
    service.until(lambda: pruned_runs(database), lambda count: count == 30)
    assert removed(database) == 30
    shown = service.get(f"/campaigns/{campaign['id']}")
    assert shown["storage"]["runs_without_series"] == 30
    assert prune_all(database, wait=True) == 171
    assert pruned_runs(database) == removed(database) == 201
    assert prune_all(database, wait=True) == 0


@pytest.mark.usefixtures("fresh")
def test_nobody_waits_for_a_batch_and_no_batch_for_them(
    service: Service, database: Database, campaign: dict[str, Any]
) -> None:
    with database.transaction() as session:
        batch = retention.prune_batch(session, SERIES)
        assert batch.pruned is not None
        started = time.monotonic()
        other = service.wait(service.submit(tiny_campaign(offset=next(_offsets)))["id"])
        service.get(f"/campaigns/{campaign['id']}")
        with database.transaction() as second:  # another worker has nothing to do meanwhile
            assert retention.prune_batch(second, SERIES) == retention.Batch(None, more=False)
        assert time.monotonic() - started < 10
        session.rollback()
    # What others have locked is left for later, and runs are not deleted while some are added.
    with database.transaction() as session:
        session.execute(delete(Campaign).where(Campaign.id == other["id"]))
    with database.transaction() as session:
        locks.lock_runs_shared(session)
        session.execute(select(Run.id).with_for_update())
        with database.transaction() as second:
            assert retention.prune_batch(second, SERIES) == retention.Batch(None, more=False)
        with database.transaction() as second:
            policies = Policies(runs=0.0)
            assert retention.prune_batch(second, policies) == retention.Batch(None, more=True)
    with database.transaction() as session:
        pruned = retention.prune_batch(session, policies).pruned
        assert pruned is not None
        assert (pruned.policy, pruned.count) == ("runs", 1)


def test_keeping_waits_for_a_batch(
    service: Service, database: Database, campaign: dict[str, Any]
) -> None:
    """After the answer nothing of the campaign is pruned any more."""
    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            batch = retention.prune_batch(session, SERIES)
            assert batch.pruned is not None
            path = f"/campaigns/{campaign['id']}"
            answer = pool.submit(service.http.patch, path, json={"keep": True})
            time.sleep(0.5)
            assert not answer.done()
        assert answer.result().json()["keep"] is True
    assert prune_all(database, wait=True) == 0
    assert pruned_runs(database) == batch.pruned.count


def test_workers_apply_the_services_policies(applying: Service) -> None:
    kept = applying.http.post("/campaigns?keep=true", json=tiny_campaign(offset=1)).json()
    campaign = applying.submit(tiny_campaign(sweep={"offset": [2, 3]}))
    applying.wait(campaign["id"])
    shown = applying.until(
        lambda: applying.get(f"/campaigns/{campaign['id']}"),
        lambda campaign: campaign["storage"]["runs_without_series"] == 2,
    )
    assert shown["runs"]["succeeded"] == 2
    entry = applying.get("/audit", object="series")["entries"][0]
    assert (entry["actor"], entry["address"], entry["action"]) == (None, None, "prune")
    applying.wait(kept["id"])
    time.sleep(2)  # several checks
    (run,) = applying.runs(kept["id"])
    assert applying.get(f"/runs/{run['id']}/series/steps")["values"][:2] == [0.5, 1.5]


@pytest.mark.parametrize("days", ["-1", "nan", "1e9"])
def test_an_impossible_age_is_refused_at_the_start(days: str) -> None:
    with pytest.raises(ValueError, match=r"RETENTION_SERIES_DAYS: .* from 0"):
        Settings.from_environment({"WINDTUNNEL_RETENTION_SERIES_DAYS": days})


# ------------------------------------------------------------------ the command

PROGRAM = [sys.executable, "-c", "from windtunnel.cli.main import main; main()"]


def windtunnel(service: Service, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments, "--server", service.url],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def answered(service: Service, answer: str, *arguments: str) -> tuple[int, str]:
    """Exit code and output of a command on a terminal whose question is answered."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *arguments, "--server", service.url], stdin=child, stdout=child, stderr=child
    )
    os.close(child)
    output = ""
    sent = False
    while True:
        try:
            received = os.read(parent, 4096).decode()
        except OSError:
            break
        output += received
        if "for good?" in output and not sent:
            os.write(parent, f"{answer}\n".encode())
            sent = True
        if not received:
            break
    os.close(parent)
    return process.wait(), output


def test_prune_asks_and_says_what_it_removes(service: Service, database: Database) -> None:
    campaign = many(service, 3)
    shown = windtunnel(service, "prune", "--series-after", "0d", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    row = next(line for line in shown.stdout.splitlines() if line.startswith("series"))
    assert row.split()[:4] == ["series", "0", "h", "3"]
    assert "nothing was removed (dry run)" in shown.stdout
    refused = windtunnel(service, "prune", "--series-after", "0d")
    assert (refused.returncode, "give --yes" in refused.stderr) == (2, True)
    code, output = answered(service, "n", "prune", "--series-after", "0d")
    assert code != 0
    with database.transaction() as session:
        runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign["id"])
        assert session.scalar(select(func.count()).where(SeriesRow.run_id.in_(runs))) == 3
    code, output = answered(service, "y", "prune", "--series-after", "0d")
    assert (code, "time series of runs (3)" in output) == (0, True), output
    again = windtunnel(service, "prune", "--series-after", "0d", "--yes")
    assert "nothing to remove" in again.stdout
    status = windtunnel(service, "status", campaign["id"]).stdout
    assert "series of 3 runs pruned; the metrics stay" in status
    none = windtunnel(service, "prune", "--yes")
    assert "no policy is set; give one, such as --series-after 90d" in none.stdout
    for wrong in ("90", "-1d", "soon"):
        answer = windtunnel(service, "prune", f"--series-after={wrong}")
        assert answer.returncode == 2
        assert f"'{wrong}' is not an age such as 90d, 12h or 8w" in answer.stderr
    young = windtunnel(service, "prune", "--audit-after", "1d", "--dry-run")
    assert (young.returncode, "audit" in young.stderr) == (2, True)


def test_keep_on_the_command_line(service: Service, tmp_path: Any) -> None:
    file = tmp_path / "study.yaml"
    offset = next(_offsets)
    file.write_text(
        f"name: kept\nsimulator: tiny\nscenario: {{duration: 10ms, offset: {offset}}}\n"
    )
    submitted = windtunnel(service, "submit", str(file), "--keep")
    id_ = submitted.stdout.strip()
    service.wait(id_)
    assert "ended, kept" in windtunnel(service, "status").stdout
    assert "kept: retention removes nothing of it" in windtunnel(service, "status", id_).stdout
    released = windtunnel(service, "keep", id_, "--no-keep")
    assert released.stdout.strip() == f"{id_} (kept) is no longer kept"
    assert service.get(f"/campaigns/{id_}")["keep"] is False
    assert windtunnel(service, "keep", id_).stdout.strip() == f"{id_} (kept) is kept"
    assert "all runs, each counted once: " in windtunnel(service, "usage").stdout


def test_a_cancelled_campaign_says_what_was_pruned(service: Service, database: Database) -> None:
    first = next(_offsets)
    which = [{"label": "quick", "offset": first}, {"label": "slow", "offset": first, "wall": 30}]
    campaign = service.submit(tiny_campaign(sweep={"which": which}))
    service.until(
        lambda: service.get(f"/campaigns/{campaign['id']}")["runs"]["succeeded"],
        lambda count: count == 1,
    )
    windtunnel(service, "cancel", campaign["id"])
    service.wait(campaign["id"])
    with database.transaction() as session:
        session.execute(update(Run).values(ended_at=func.now()))
    done = windtunnel(service, "prune", "--cancelled-after", "0d", "--yes")
    assert "runs of cancelled campaigns only (2)" in done.stdout
    status = windtunnel(service, "status", campaign["id"]).stdout
    assert "0/2 runs   2 pruned" in status
    assert f"windtunnel resume {campaign['id']}" in status
    compared = windtunnel(service, "compare", campaign["id"])
    assert compared.returncode == 0, compared.stderr
