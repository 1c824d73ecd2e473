"""Time of a claim while 100,000 runs of many campaigns are queued, on a real PostgreSQL.

The rows are written straight into the tables; then claims take runs and end them, one at a time.

    PYTHONPATH=. .venv/bin/python bench/claims.py [--campaigns 400] [--users 20] [--runs 100000]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import time

from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.conftest import Service, start_service
from tests.workers import worker_processes
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed
from windtunnel.store import claims
from windtunnel.store.database import Database

CLAIMS = 300
DIGEST = "d" * 64
ENDED = Failed("", 0.1, FailureReason.SIM_CRASHED, "made up")

FILL = """
INSERT INTO scenario (digest, body) VALUES ('s', '{}');
INSERT INTO submitter (name) SELECT 'user' || n FROM generate_series(0, :users) AS n
ON CONFLICT DO NOTHING;
INSERT INTO campaign (id, name, document, state, simulators, axes, baseline, metrics,
    default_metrics, replications, predicted_events, predicted_cpu_seconds, reused_runs,
    request_digest, submitted_by)
SELECT 'c' || n, 'made up', '{}', 'planned', CAST(:simulators AS jsonb), '[]', '{}', '[]',
    '[]', 1, 1, 1, 0, '', 'user' || n % :users FROM generate_series(1, :campaigns) AS n;
INSERT INTO run (id, scenario_digest, seed_index, simulator_name, simulator_digest, duration_ns,
    predicted_events, state)
SELECT md5(n::text), 's', n, 'none', :digest, 1, 1, 'queued' FROM generate_series(1, :runs) AS n;
INSERT INTO campaign_run (campaign_id, cell_index, seed_index, run_id, simulator_digest)
SELECT 'c' || 1 + n % :campaigns, 0, n, md5(n::text), :digest
FROM generate_series(1, :runs) AS n
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument("--runs", type=int, default=100_000)
    arguments = parser.parse_args()
    for service in start_service():
        _measure(service, arguments)


def _measure(service: Service, arguments: argparse.Namespace) -> None:
    for pid in worker_processes(service):
        os.kill(pid, signal.SIGSTOP)
    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        _fill(session, arguments)
    with database.transaction() as session:
        session.execute(text("ANALYZE"))
    times, ends = [], []
    for _ in range(CLAIMS):
        begin = time.monotonic()
        with database.transaction() as session:
            lease = claims.claim(session, "bench/1", [DIGEST], 60)
        times.append(time.monotonic() - begin)
        assert isinstance(lease, claims.Lease)
        begin = time.monotonic()
        with database.transaction() as session:
            assert claims.finish(session, lease, ENDED)
        ends.append(time.monotonic() - begin)
    begin = time.monotonic()
    with database.transaction() as session:
        claims.startable_runs(session)
    startable = time.monotonic() - begin
    database.close()
    print(f"{arguments.runs} queued runs, {arguments.campaigns} campaigns, {arguments.users} users")
    print(f"  claim  {_milliseconds(times)}")
    print(f"  finish {_milliseconds(ends)}")
    print(f"  startable_runs {startable * 1e3:.1f} ms")
    for pid in worker_processes(service):
        os.kill(pid, signal.SIGCONT)


def _fill(session: Session, arguments: argparse.Namespace) -> None:
    values = {
        "simulators": f'{{"{DIGEST}": {{"name": "none", "built_at": null}}}}',
        "digest": DIGEST,
        "users": arguments.users,
        "campaigns": arguments.campaigns,
        "runs": arguments.runs,
    }
    for statement in FILL.split(";\n"):
        query = text(statement)
        session.execute(query, {name: values[name] for name in query._bindparams})


def _milliseconds(times: list[float]) -> str:
    ordered = sorted(times)
    median, p95 = statistics.median(ordered), ordered[round(0.95 * (len(ordered) - 1))]
    return f"median {median * 1e3:6.1f} ms   p95 {p95 * 1e3:6.1f} ms"


if __name__ == "__main__":
    main()
