"""The comparison with verdicts of 10,000 runs x 8 metrics, right after a run landed and later.

.venv/bin/python bench/comparison.py
"""

from __future__ import annotations

import os
import signal
import statistics

from sqlalchemy import text

from bench.service import load_results, p95, timed
from tests.conftest import FAT_TREE, Service, start_service
from tests.workers import worker_processes
from windtunnel.store.database import Database

CELLS, SEEDS, METRICS = 2000, 5, 8
LANDED = 30
ALGORITHMS = ("newreno", "cubic", "vegas", "bic", "yeah")


def main() -> None:
    for service in start_service(None, 2):
        _measure(service)


def _measure(service: Service) -> None:
    for pid in worker_processes(service):  # it is not to do these runs
        os.kill(pid, signal.SIGSTOP)
    limits = [f"{packets}p" for packets in range(10, 10 + CELLS // len(ALGORITHMS))]
    metrics = _metrics(service)
    campaign = {
        "name": "large",
        "simulator": "ns3",
        "scenario": FAT_TREE,
        "sweep": {"algorithm": list(ALGORITHMS), "topology.queue.limit": limits},
        "replications": SEEDS,
        "baseline": {"algorithm": "newreno"},
        "family": metrics,
    }
    answer = service.http.post("/campaigns", json=campaign, timeout=120)
    assert answer.status_code == 202, answer.text
    id_ = answer.json()["id"]
    load_results(service, id_)
    path = f"/campaigns/{id_}/comparison?" + "&".join(f"metric={name}" for name in metrics)
    size = len(service.http.get(path, timeout=60).content)
    print(f"{CELLS} cells x {SEEDS} seeds x {METRICS} metrics with verdicts, {size / 1e6:.1f} MB")
    database = Database(service.database_url)
    landed, later = [], []
    for seed in range(LANDED):
        _land(database, id_, seed)
        landed.append(timed(service, path))
        later.append(timed(service, path))
    database.close()
    for name, times in (("first after a run landed", landed), ("later", later)):
        print(
            f"{name:<26} median {statistics.median(times) * 1e3:5.0f} ms   "
            f"p95 {p95(times) * 1e3:5.0f} ms"
        )


def _metrics(service: Service) -> list[str]:
    (ns3,) = [entry for entry in service.get("/catalogue")["simulators"] if entry["name"] == "ns3"]
    return [metric["name"] for metric in ns3["metrics"] if metric["direction"] != "none"][:METRICS]


def _land(database: Database, campaign_id: str, number: int) -> None:
    """As if one more run had just ended, with other values."""
    with database.transaction() as session:
        run = session.scalar(
            text(
                "SELECT run_id FROM campaign_run WHERE campaign_id = :id "
                "ORDER BY cell_index, seed_index OFFSET :number LIMIT 1"
            ),
            {"id": campaign_id, "number": 37 * number},
        )
        session.execute(
            text("UPDATE metric SET value = 100 * random() WHERE run_id = :run"), {"run": run}
        )
        session.execute(
            text("UPDATE run SET ended_at = clock_timestamp() WHERE id = :run"), {"run": run}
        )


if __name__ == "__main__":
    main()
