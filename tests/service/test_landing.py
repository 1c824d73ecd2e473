"""Whatever goes wrong while a result is read or stored, the run ends at once with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from chaos.misbehaving_simulator import EXPECTED
from tests.conftest import ROOT, Service, new_data_folder, start_service, tiny_campaign
from tests.workers import paused
from windtunnel.errors import UnavailableError
from windtunnel.result import Check, RunResult, Series
from windtunnel.simulator import Launcher, Outcome, Succeeded
from windtunnel.spec.campaign import RunLimits
from windtunnel.store import claims
from windtunnel.store.database import Database
from windtunnel_worker import tasks
from windtunnel_worker.simulators import AvailableSimulator
from windtunnel_worker.tasks import Executor, run_limits

STORED = [
    *(name for name in EXPECTED if "surrogate" in name),
    *("negative events", "long name", "deeply nested", "too many fields", "largest values"),
    *("closes both pipes", "leaves daemons"),
]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    folders = new_data_folder()
    program = folders.simulators / "misbehaving" / "build" / "windtunnel-misbehaving"
    program.parent.mkdir(parents=True)
    shutil.copy2(ROOT / "chaos" / "misbehaving_simulator.py", program)
    yield from start_service(folders, lease_seconds="4", reconcile_seconds="0.5")


@pytest.fixture
def executor(service: Service) -> Iterator[Executor]:
    """A worker's executor on the service's database, while its own workers are paused."""
    executor = Executor.__new__(Executor)
    executor.database = Database(service.database_url, pool_size=1)
    executor.owner = "test/1"
    with paused(service):
        yield executor
    executor.database.close()


def test_what_postgresql_cannot_take_is_refused_by_the_reader(service: Service) -> None:
    campaign = service.submit(
        {
            "name": "misbehaving",
            "simulator": "misbehaving",
            "scenario": {},
            "sweep": {"misbehave": STORED},
            "limits": {"stall": "5s"},
        }
    )
    service.wait(campaign["id"], 60)
    for run in service.runs(campaign["id"]):
        reason, message = EXPECTED[run["coordinates"]["misbehave"]]
        assert run["failure"] == (None if reason == "succeeded" else reason), run["message"]
        assert message in run["message"]
        assert run["attempt"] == 1
        assert service.get(f"/runs/{run['id']}")["state"] == run["state"]


def claim(service: Service, executor: Executor, offset: int) -> claims.Lease:
    campaign = service.submit(tiny_campaign(offset=offset))
    digest = service.get(f"/runs/{service.runs(campaign['id'])[0]['id']}")["simulator_digest"]
    with executor.database.transaction() as session:
        lease = claims.claim(session, executor.owner, [digest], lease_seconds=60)
    assert isinstance(lease, claims.Lease)
    return lease


def result(**changes: Any) -> RunResult:
    values: dict[str, Any] = {
        "started": {},
        "metrics": (),
        "series": (),
        "packet_delays": (),
        "flows": (),
        "ports": (),
        "checks": (),
        "events": 1,
        "digest": "0" * 64,
        "record_digests": b"",
        "record_labels": (),
        "metadata": {},
    }
    return RunResult(**{**values, **changes})


# PostgreSQL compresses the keys of an index: only a random one is too long.
LONG_KEY = bytes(np.random.default_rng(1).integers(33, 126, 10**5, dtype=np.uint8)).decode()
UNSTORABLE: dict[str, tuple[dict[str, Any], str]] = {
    "surrogate": ({"checks": (Check("\ud800", True, ""),)}, "UnicodeEncodeError"),
    "type": ({"metadata": {"cpu_seconds": "long"}}, "PostgreSQL rejected"),
    "function": ({"started": {"x": len}}, "not JSON serializable"),
    "key": ({"checks": (Check(LONG_KEY, True, ""),)}, "index row"),
    "duplicates": ({"checks": (Check("a", True, ""), Check("a", True, ""))}, "duplicate key"),
}


@pytest.mark.parametrize("what", UNSTORABLE)
def test_a_result_that_cannot_be_stored_is_a_failure(
    service: Service, executor: Executor, what: str
) -> None:
    changes, reason = UNSTORABLE[what]
    lease = claim(service, executor, 100 + list(UNSTORABLE).index(what))
    outcome = Succeeded("", 1.0, result(**changes))
    assert executor._land(outcome, lambda session, end: claims.finish(session, lease, end))
    run = service.get(f"/runs/{lease.id}")
    assert (run["state"], run["failure"], run["attempt"]) == ("failed", "invalid_result", 1)
    assert reason in run["message"]


def test_the_mean_of_a_series_of_large_values_is_finite(
    service: Service, executor: Executor
) -> None:
    lease = claim(service, executor, 200)
    values = np.full(10, 3e38, dtype=np.float32)
    outcome = Succeeded("", 1.0, result(series=(Series("s", "", 0, 1, values),)))
    with executor.database.transaction() as session:
        assert claims.finish(session, lease, outcome)
    assert service.get(f"/runs/{lease.id}")["state"] == "succeeded"


def test_a_fault_of_the_host_while_storing_costs_an_attempt_and_no_run(
    service: Service, executor: Executor
) -> None:
    lease = claim(service, executor, 250)
    errors = [OSError(22, "Invalid argument")]

    def finish(session: Any, end: Outcome) -> bool:
        if errors:
            raise errors.pop()
        return claims.finish(session, lease, end)

    assert executor._land(Succeeded("", 1.0, result()), finish)
    run = service.get(f"/runs/{lease.id}")
    assert (run["state"], run["failure"], run["attempt"]) == ("queued", None, 1)


class RaisingLauncher:
    def __init__(self, error: Exception) -> None:
        self._error = error

    def run(self, *_: Any) -> Outcome:
        raise self._error


@pytest.mark.parametrize(
    ("error", "state", "failure"),
    [
        (RuntimeError("\ud800 unexpected"), "failed", "invalid_result"),
        (OSError("too many open files"), "queued", None),
        (UnavailableError("setpriv is missing"), "queued", None),
    ],
    ids=["unexpected", "host", "unavailable"],
)
def test_an_exception_of_a_launcher_ends_the_attempt(
    service: Service,
    executor: Executor,
    error: Exception,
    state: str,
    failure: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A captured log line with a lone surrogate can't be sent to pytest's main process.
    monkeypatch.setattr(tasks.log, "exception", lambda *_: None)
    lease = claim(service, executor, 300 + len(str(error)))
    launcher: Callable[[Mapping[str, str]], Launcher] = lambda _: RaisingLauncher(error)  # noqa: E731
    simulator = AvailableSimulator(None, datetime.now(UTC), None, None, launcher)  # type: ignore[arg-type]
    outcome = executor._launch(simulator, {}, lease.spec, run_limits(RunLimits()), lambda *_: True)
    assert executor._land(outcome, lambda session, end: claims.finish(session, lease, end))
    run = service.get(f"/runs/{lease.id}")
    assert (run["state"], run["failure"]) == (state, failure)
    assert "unexpected" in run["message"] or state == "queued"
