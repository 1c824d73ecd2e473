"""States of a run and their transitions; a test keeps docs/states.md in sync."""

from __future__ import annotations

from enum import StrEnum


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class FailureReason(StrEnum):
    """Why a run failed. All but LOST_WORKER concern the simulation and are not retried."""

    SIM_CRASHED = "sim_crashed"
    TIMED_OUT = "timed_out"
    STALLED = "stalled"
    OUT_OF_MEMORY = "out_of_memory"
    INVALID_RESULT = "invalid_result"
    INVARIANT_BROKEN = "invariant_broken"
    IMAGE_MISSING = "image_missing"
    LOST_WORKER = "lost_worker"


# For each state, its possible successors and what causes the transition.
TRANSITIONS: dict[RunState, dict[RunState, str]] = {
    RunState.QUEUED: {
        RunState.RUNNING: "a worker claims it",
        RunState.CANCELLED: "no active campaign needs it",
    },
    RunState.RUNNING: {
        RunState.SUCCEEDED: "its worker stores the result",
        RunState.FAILED: "the simulation failed, or max_attempts leases were lost",
        RunState.QUEUED: "its lease expired, its worker was stopped, or the simulator was killed",
        RunState.CANCELLED: "no active campaign needs it",
    },
    RunState.SUCCEEDED: {},
    RunState.FAILED: {RunState.QUEUED: "a campaign that needs it is submitted or resumed"},
    RunState.CANCELLED: {RunState.QUEUED: "a campaign that needs it is submitted or resumed"},
}

ENDED = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED})
MAX_ATTEMPTS = 8
