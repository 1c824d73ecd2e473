"""The real service for web/e2e, with the simulated campaigns that its specs look at.

    python -m tests.browser.pages_service         runs until its standard input ends
    python -m tests.browser.pages_service large   adds large campaigns

The first prints one line of JSON: addresses, tokens, process ids, and ids of campaigns and runs.
The second reads that line from WINDTUNNEL_PAGES.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import yaml
from sqlalchemy import text

from tests.conftest import ROOT, Service, start_service, tiny_campaign
from tests.workers import worker_processes
from windtunnel.store.database import Database

CAMPAIGNS = 10_000
SEEDS_OF_LARGE = 3


def main() -> None:
    if sys.argv[1:] == ["large"]:
        _add_large(json.loads(os.environ["WINDTUNNEL_PAGES"]))
        return
    settings = {"lease_seconds": "4", "reconcile_seconds": "0.5"}
    for service in start_service(None, 2, **settings):
        for empty in start_service(None, 2, **settings):
            _print({**_filled(service), "empty": _address(empty)})
            sys.stdin.read()


def _print(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _address(service: Service) -> dict[str, Any]:
    api = next(part for part in service.running._parts if part.name == "API")
    return {
        "url": service.url,
        "token": service.running.token,
        "api": api.child.pid,
        "workers": worker_processes(service),
        "database": service.database_url,
    }


def _filled(service: Service) -> dict[str, Any]:
    campaigns = {name: service.submit(campaign)["id"] for name, campaign in _examples().items()}
    for campaign in campaigns.values():
        service.wait(campaign, 240)
    read = service.http.post("/tokens", json={"name": "reader", "scope": "read"}).json()["token"]
    (run,) = service.runs(campaigns["two-flows"])[:1]
    (failed,) = service.runs(campaigns["failing"])[:1]
    return {
        **_address(service),
        "read": read,
        "campaigns": campaigns,
        "run": run["id"],
        "failed": failed["id"],
    }


def _examples() -> dict[str, dict[str, Any]]:
    """The examples, shortened, and a campaign that fails."""
    files = {
        name: yaml.safe_load((ROOT / "examples" / f"{name}.yaml").read_text())
        for name in ("incast", "coexistence", "completion-times", "two-flows")
    }
    files["incast"]["replications"] = 3
    files["incast"]["scenario"]["duration"] = "600ms"
    files["incast"]["sweep"]["workload.servers"] = [1, 4, 8, 16, 32, 48]
    files["coexistence"]["replications"] = 3
    files["coexistence"]["scenario"] |= {"duration": "6s", "warmup": "1s"}
    files["completion-times"]["replications"] = 3
    files["completion-times"]["scenario"]["duration"] = "600ms"
    files["two-flows"]["replications"] = 2
    files["failing"] = tiny_campaign("failing", misbehave="crash")
    return files


def _add_large(pages: dict[str, Any]) -> None:
    """Campaigns of 1,000 cells and of 20,000 runs with random results, and 10,000 small ones."""
    headers = {"Authorization": f"Bearer {pages['token']}"}
    http = httpx2.Client(base_url=f"{pages['url']}/api/v1", headers=headers, timeout=120)
    offsets = list(range(1, 201))
    many_cells = {
        "name": "a thousand cells",
        "simulator": "tiny",
        "scenario": {"duration": "10ms"},
        "sweep": {"offset": offsets, "modulus": [1, 2, 3, 4, 5]},
        "replications": SEEDS_OF_LARGE,
        "baseline": {"modulus": 1},
    }
    many_runs = {
        "name": "twenty thousand runs",
        "simulator": "tiny",
        "scenario": {"duration": "11ms"},
        "sweep": {"offset": offsets},
        "replications": 100,
    }
    database = Database(pages["database"])
    with _stopped(pages["workers"]):
        ids = {}
        for key, campaign in (("cells", many_cells), ("runs", many_runs)):
            answer = http.post("/campaigns", json=campaign)
            assert answer.status_code == 202, answer.text
            ids[key] = answer.json()["id"]
            _end(database, ids[key])
        _copy(database, ids["cells"])
    database.close()
    _print(ids)


@contextmanager
def _stopped(pids: list[int]) -> Iterator[None]:
    """Workers that do nothing meanwhile."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in reversed(pids):
            os.kill(pid, signal.SIGCONT)


def _end(database: Database, campaign_id: str) -> None:
    """All runs of a campaign have succeeded, with random values."""
    with database.transaction() as session:
        session.execute(
            text(
                "INSERT INTO metric (run_id, name, value, unit) "
                "SELECT run_id, 'value', 100 * random(), 'things' FROM campaign_run "
                "WHERE campaign_id = :id"
            ),
            {"id": campaign_id},
        )
        session.execute(
            text(
                "UPDATE run SET state = 'succeeded', digest = id, events = 1000, cpu_seconds = 1, "
                "simulated_ns = duration_ns, lease_owner = NULL, lease_until = NULL, "
                "ended_at = now() "
                "FROM campaign_run WHERE run_id = run.id AND campaign_id = :id"
            ),
            {"id": campaign_id},
        )
        session.execute(text("ANALYZE"))


def _copy(database: Database, campaign_id: str) -> None:
    with database.transaction() as session:
        session.execute(
            text(
                "INSERT INTO campaign SELECT (jsonb_populate_record(campaign, jsonb_build_object("
                "'id', 'copy' || lpad(number::text, 8, '0'), 'name', 'copy ' || number, "
                "'created_at', created_at - number * interval '1 minute'))).* "
                "FROM campaign, generate_series(1, :count) AS number WHERE campaign.id = :id"
            ),
            {"id": campaign_id, "count": CAMPAIGNS},
        )
        session.execute(text("ANALYZE"))


if __name__ == "__main__":
    main()
