"""What a run says of an algorithm that makes a mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import programs_of_tests, resolve
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed, Limits, ProcessLauncher, describe


@pytest.fixture(scope="module")
def faulty() -> Path:
    """The simulator with NewReno's twin of sim-images/ns3/tests/tcp_faulty.cc."""
    return programs_of_tests() / "faulty"


def failure(program: Path, mistake: str) -> Failed:
    description = describe([str(program)])
    scenario, problems = resolve(
        description,
        {
            "topology": {"kind": "dumbbell", "pairs": 1,
                         "queue": {"kind": "drop-tail", "limit": "20p"}},
            "workload": "bulk",
            "algorithm": {"kind": "faulty", "Mistake": mistake},
            "duration": "2s",
        },
    )  # fmt: skip
    assert problems == []
    spec: dict[str, Any] = {"simulator": "ns3", "seed_index": 1, "scenario": scenario}
    outcome = ProcessLauncher([str(program)], description).run(spec, Limits(wall_seconds=60))
    assert isinstance(outcome, Failed)
    return outcome


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        ("assert", 'cond="m_mistake != ASSERT", msg="the window is 20"'),
        ("abort", 'aborted. cond="m_mistake == ABORT'),
        ("fatal-error", 'msg="no such window"'),
    ],
)
def test_the_message_of_an_assertion_is_the_runs(faulty: Path, mistake: str, text: str) -> None:
    outcome = failure(faulty, mistake)
    assert outcome.reason == FailureReason.SIM_CRASHED
    assert text in outcome.message
    assert "file=./tests/tcp_faulty.cc, line=" in outcome.message
    assert "terminat" not in outcome.message


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        ("zero-threshold", "a slow start threshold of 0 B, flow 0 at "),
        ("nan-window", "a congestion window of 0 B, flow 0 at "),
        ("negative-window", "a congestion window of 4294965848 B, flow 0 at "),
    ],
)
def test_a_window_out_of_range_fails_the_run(faulty: Path, mistake: str, text: str) -> None:
    outcome = failure(faulty, mistake)
    assert outcome.reason == FailureReason.INVARIANT_BROKEN
    assert outcome.message.startswith(f"window_range: {text}")
