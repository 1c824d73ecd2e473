"""Misbehaving simulations end as `failed` with their reason, and the log contains stderr."""

from __future__ import annotations

import pytest

from tests.conftest import Service, tiny_campaign

REASONS = {
    "crash": ("sim_crashed", "the model exploded at step 17"),
    "flood": ("invalid_result", "the output exceeds"),
    "garbage": ("invalid_result", "line 2 of the record stream: not JSON"),
    "silent": ("invalid_result", "without a 'finished' record"),
    "wrong-digest": ("invalid_result", "the records give"),
    "broken-check": ("invariant_broken", "sum: 1 + 1 = 2"),
    "eat": ("out_of_memory", "600 MiB"),
    "hang": ("timed_out", "wall-clock limit of 20 s"),
}


@pytest.fixture(scope="module")
def failed(service: Service) -> dict[str, dict[str, object]]:
    """All misbehaviours in one campaign, with one run that succeeds."""
    sweep = {"misbehave": [*REASONS, "no"]}
    campaign = service.wait(service.submit(tiny_campaign("poison", sweep=sweep))["id"], 90)
    assert campaign["runs"]["failed"] == len(REASONS)
    assert campaign["runs"]["succeeded"] == 1
    run_ids = {run["coordinates"]["misbehave"]: run["id"] for run in service.runs(campaign["id"])}
    return {name: service.get(f"/runs/{run_id}") for name, run_id in run_ids.items()}


@pytest.mark.parametrize("misbehave", REASONS)
def test_a_misbehaving_simulator_fails_at_once_with_its_reason(
    failed: dict[str, dict[str, object]], misbehave: str
) -> None:
    reason, expected = REASONS[misbehave]
    run = failed[misbehave]
    assert run["state"] == "failed"
    assert run["failure"] == reason
    assert expected in str(run["message"])
    assert run["attempt"] == 1
    assert run["metrics"] == []  # nothing half-stored


def test_the_log_contains_stderr(service: Service, failed: dict[str, dict[str, object]]) -> None:
    log = service.get(f"/runs/{failed['crash']['id']}/log")["attempts"]
    assert "the model exploded at step 17" in log[0]["stderr"]


def test_resubmitting_retries_failed_runs(
    service: Service, failed: dict[str, dict[str, object]]
) -> None:
    again = service.submit(tiny_campaign("poison again", misbehave="crash"))
    assert again["reused_runs"] == 0
    ended = service.wait(again["id"])
    assert ended["runs"]["failed"] == 1
    assert service.get(f"/runs/{failed['crash']['id']}")["attempt"] == 2


def test_a_failed_run_can_not_be_verified(
    service: Service, failed: dict[str, dict[str, object]]
) -> None:
    answer = service.http.post(f"/runs/{failed['crash']['id']}/verify")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
