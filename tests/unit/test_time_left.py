"""The wall-clock time that a campaign has left, of what is queued and of its own runs."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.store.prediction import Queue, Work, time_left
from windtunnel_api import recent_queue
from windtunnel_api.recent_queue import RecentQueue


def left(
    left: float, predicted: float = 0, actual: float = 0, *, before: float, runs: int, slots: int
) -> float | None:
    return time_left(Work(left, predicted, actual), before, runs, slots)


def test_what_is_queued_before_it_and_its_own_runs_share_the_slots() -> None:
    assert left(36, before=40, runs=6, slots=2) == (40 + 36) / 2


def test_finished_runs_say_how_long_the_others_take() -> None:
    """Half of what was predicted, or twice as much."""
    assert left(36, 24, 12, before=40, runs=6, slots=2) == (40 + 18) / 2
    assert left(36, 24, 48, before=40, runs=6, slots=2) == (40 + 72) / 2


def test_a_run_has_one_slot() -> None:
    """The last run of a campaign is not shared out; what is before it is."""
    assert left(6, before=0, runs=1, slots=16) == 6
    assert left(6, before=32, runs=1, slots=16) == 2 + 6
    assert left(36, before=0, runs=6, slots=16) == 6


def test_nobody_knows_without_slots() -> None:
    assert left(36, before=40, runs=6, slots=0) is None


def test_a_campaigns_own_queued_runs_are_not_before_it() -> None:
    queue = Queue(40.0, {"a": 30.0, "b": 20.0})  # 10 s of runs that both want
    assert [queue.without(id_) for id_ in ("a", "b", "c")] == [10, 20, 40]


def test_the_queue_is_summed_up_every_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now, sums = [100.0], [0]

    def queue(_: Any) -> Queue:
        sums[0] += 1
        return Queue(float(sums[0]), {})

    monkeypatch.setattr(recent_queue, "queue", queue)
    recent = RecentQueue(lambda: now[0])
    session: Any = None
    seen = []
    for seconds in (0, 4.9, 0.2, 4.9):
        now[0] += seconds
        seen.append(recent.get(session).cpu_seconds)
    assert seen == [1, 1, 2, 2]
