"""The real service for web/e2e, with the simulated campaigns that its specs look at.

    python -m tests.browser.pages_service         runs until its standard input ends
    python -m tests.browser.pages_service large   adds large campaigns

The first prints one line of JSON: addresses, tokens, process ids, and ids of campaigns and runs.
The second reads that line from WINDTUNNEL_PAGES.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import httpx2
import yaml

from tests.browser.large import add_large
from tests.conftest import ROOT, Service, start_service, tiny_campaign
from tests.workers import stopped, with_pool, worker_processes
from windtunnel.store.database import Database


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
    """The campaigns of `large`, in a service that another process has started."""
    headers = {"Authorization": f"Bearer {pages['token']}"}
    http = httpx2.Client(base_url=f"{pages['url']}/api/v1", headers=headers)
    database = Database(pages["database"])
    main, *_ = pages["workers"]
    with stopped(lambda: with_pool(main), pages["database"]):
        _print(add_large(http, database))
    database.close()


if __name__ == "__main__":
    main()
