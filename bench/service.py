"""Benchmarks of the service: accepting 20,000 runs, reading their results, empty runs, memory.

Everything real: PostgreSQL, Redis, Celery, uvicorn on this machine (the embedded service).
Synthetic results are written straight into PostgreSQL, with all metrics that ns-3 may report.

    .venv/bin/python bench/service.py [--docker] [--runs 5000]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import text

from tests.conftest import FAT_TREE, Service, start_service, tiny_campaign
from tests.workers import worker_processes
from windtunnel.store.database import Database

CELLS, SEEDS = 1000, 20
REQUESTS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docker", action="store_true", help="empty runs in containers too")
    parser.add_argument("--runs", type=int, default=5000, help="empty runs for the memory")
    arguments = parser.parse_args()
    _with(_many_runs)
    _with(lambda service: _empty_runs(service, "process", arguments.runs))
    if arguments.docker:
        image = {"launcher": "docker", "images": "windtunnel-test/tiny"}
        _with(lambda service: _empty_runs(service, "docker", 100), **image)


def _with(measure: Callable[[Service], None], **settings: str) -> None:
    for service in start_service(None, 2, **settings):
        measure(service)


def _many_runs(service: Service) -> None:
    algorithms = ["newreno", "cubic", "vegas", "bic", "yeah"]
    limits = [f"{packets}p" for packets in range(10, 10 + CELLS // len(algorithms))]
    campaign = {
        "name": "large",
        "simulator": "ns3",
        "scenario": FAT_TREE,
        "sweep": {"algorithm": algorithms, "topology.queue.limit": limits},
        "replications": SEEDS,
        "baseline": {"algorithm": "newreno"},
    }
    for pid in worker_processes(service):  # it is not to do these runs
        os.kill(pid, signal.SIGSTOP)
    begin = time.monotonic()
    answer = service.http.post("/campaigns", json=campaign, timeout=120)
    seconds = time.monotonic() - begin
    assert answer.status_code == 202, answer.text
    campaign_status = answer.json()
    print(f"{campaign_status['total_runs']} runs planned and accepted in {seconds:.2f} s")
    metrics = load_results(service, campaign_status["id"])
    print(f"{CELLS * SEEDS} synthetic results of {metrics} metrics loaded")
    path_prefix = f"/campaigns/{campaign_status['id']}"
    for name, path in {
        "list of campaigns": "/campaigns?limit=100",
        "campaign": path_prefix,
        "its runs, 100 of them": f"{path_prefix}/runs?limit=100",
        "comparison, default metrics": f"{path_prefix}/comparison?default=true",
        "comparison, one metric": f"{path_prefix}/comparison?metric=drops_total",
        "comparison, all metrics": f"{path_prefix}/comparison",
    }.items():
        requests = REQUESTS if "all" not in name else 10
        times = [timed(service, path) for _ in range(requests)]
        size = len(service.http.get(path, timeout=60).content)
        print(
            f"{name:<36} first {times[0] * 1e3:6.0f} ms   "
            f"median {statistics.median(times) * 1e3:6.0f} ms   p95 {p95(times) * 1e3:6.0f} ms   "
            f"{size / 1e6:.2f} MB"
        )


def timed(service: Service, path: str) -> float:
    begin = time.monotonic()
    answer = service.http.get(path, timeout=60)
    assert answer.status_code == 200, answer.text
    return time.monotonic() - begin


def p95(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, round(0.95 * len(times)))]


def load_results(service: Service, campaign_id: str, most: int | None = None) -> int:
    """End all runs of a campaign as succeeded, with random values of all metrics; how many.

    Of the first ``most`` metrics only, if given.
    """
    catalogue = service.get("/catalogue")["simulators"]
    metrics = [
        m for simulator in catalogue if simulator["name"] == "ns3" for m in simulator["metrics"]
    ][:most]
    names, units = [m["name"] for m in metrics], [m["unit"] for m in metrics]
    database = Database(service.database_url)
    with database.transaction() as session:
        session.execute(
            text(
                "DELETE FROM metric USING campaign_run "
                "WHERE campaign_run.run_id = metric.run_id AND campaign_id = :id"
            ),
            {"id": campaign_id},
        )
        session.execute(
            text(
                "INSERT INTO metric (run_id, name, value, unit) "
                "SELECT run_id, name, 100 * random(), unit FROM campaign_run, "
                "unnest(CAST(:names AS text[]), CAST(:units AS text[])) AS metric (name, unit) "
                "WHERE campaign_id = :id"
            ),
            {"id": campaign_id, "names": names, "units": units},
        )
        session.execute(
            text(
                "UPDATE run SET state = 'succeeded', digest = id, events = 1000, cpu_seconds = 1, "
                "schedule = encode(sha256(run.seed_index::text::bytea), 'hex'), "
                "simulated_ns = duration_ns, lease_owner = NULL, lease_until = NULL, "
                "ended_at = now() "
                "FROM campaign_run WHERE run_id = run.id AND campaign_id = :id"
            ),
            {"id": campaign_id},
        )
        session.execute(text("ANALYZE"))
    database.close()
    return len(names)


def _empty_runs(service: Service, launcher: str, runs: int) -> None:
    """Time and memory of the service itself, with a simulator that does nothing."""
    warm = service.submit(tiny_campaign(sweep={"offset": list(range(1, 41))}))
    service.wait(warm["id"], 300)
    before = _memory(service)
    begin = time.monotonic()
    campaign = service.submit(
        tiny_campaign(sweep={"offset": list(range(1000, 1000 + runs // 10))}, replications=10)
    )
    print(f"{launcher}: {runs} empty runs, memory (PSS, MB) of API and worker's processes")
    ended: dict[str, Any] = {"ended": False}
    steps = {round(runs * part / 4) for part in (1, 2, 3)}
    while not ended["ended"]:
        time.sleep(1)
        ended = service.get(f"/campaigns/{campaign['id']}")
        if steps and ended["runs"]["succeeded"] >= min(steps):
            steps.remove(min(steps))
            print(f"  after {ended['runs']['succeeded']:>5}: {_memory(service)}")
    seconds = time.monotonic() - begin
    assert ended["runs"]["succeeded"] == runs, ended["runs"]
    print(f"  before {before}, after {runs}: {_memory(service)}")
    print(f"  {seconds / runs * 1e3:.0f} ms a run on two slots, {runs / seconds:.1f} runs a second")


def _memory(service: Service) -> str:
    api = [part.child.pid for part in service.running._parts if part.name == "API"]
    worker = worker_processes(service)
    return f"API {sum(map(_pss, api)):.0f}, worker {sum(map(_pss, worker)):.0f}"


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    except OSError:
        return 0.0


if __name__ == "__main__":
    main()
