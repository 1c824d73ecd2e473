"""The wall-clock time that a campaign has left, of what is queued and of its running runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from windtunnel.run import RunState
from windtunnel.store import prediction


def left(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> float | None:
    """Of ten runs of 6 s of CPU and 100 events each: all queued ones need 40 s, on two slots."""
    monkeypatch.setattr(prediction, "queued_cpu_seconds", lambda _: 40.0)
    monkeypatch.setattr(
        prediction, "workers", lambda _: [SimpleNamespace(slots=2, simulators=["ns3"])]
    )
    runs = dict.fromkeys(RunState, 0)
    runs |= {RunState.SUCCEEDED: 4, RunState.RUNNING: 2, RunState.QUEUED: 4}
    fields = {"ended": False, "runs": runs, "events": 400, "predicted_events": 1000.0}
    fields |= {"predicted_cpu_seconds": 60.0, "actual_cpu_seconds": 0.0, "actual_events": 0}
    fields |= changes
    status: Any = SimpleNamespace(**fields)
    return prediction.wall_seconds_left(None, status)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "seconds"),
    [
        (400, (40 + 12) / 2),  # both running runs have just begun
        (500, (40 + 6) / 2),  # half of their events are simulated
        (700, (40 - 24 + 18) / 2),  # of six runs, only 300 events are left
        (0, (40 + 12) / 2),  # failed runs lack events: running ones need no more than all of theirs
    ],
)
def test_running_runs_count_as_far_as_they_are_left(
    monkeypatch: pytest.MonkeyPatch, events: int, seconds: float
) -> None:
    assert left(monkeypatch, events=events) == seconds


def test_finished_runs_say_how_long_the_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four runs took twice the CPU time that was predicted; 600 events are left."""
    twice = left(monkeypatch, actual_cpu_seconds=48.0, actual_events=400)
    assert twice == (40 - 24 + 600 * 0.12) / 2


def test_an_ended_campaign_has_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert left(monkeypatch, ended=True) is None
