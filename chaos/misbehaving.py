"""A campaign whose simulator misbehaves in every way, and whether each run ended as it has to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chaos.misbehaving_simulator import EXPECTED

IMAGE = "windtunnel-chaos/misbehaving"
# Signals that the first process of a container sends to itself are ignored, and the stack's limit
# on output is too high to be reached soon.
_NOT_IN_CONTAINERS = frozenset({"stops itself", "segmentation fault", "endless output"})


def campaign() -> dict[str, Any]:
    """One run for every misbehaviour."""
    names = [name for name in EXPECTED if name not in _NOT_IN_CONTAINERS]
    return {
        "name": "misbehaving",
        "simulator": "misbehaving",
        "scenario": {},
        "sweep": {"misbehave": names},
        "limits": {"stall": "2s", "memory": "200MiB"},
    }


def complaint(runs: Sequence[dict[str, Any]]) -> str:
    """What is wrong with the runs of this campaign, or nothing."""
    complaints = []
    for run in runs:
        name = run["coordinates"]["misbehave"]
        reason, message = EXPECTED[name]
        if (run["failure"] or run["state"]) != reason or message not in run["message"]:
            complaints.append(f"{name}: {run['failure'] or run['state']}, {run['message'][:200]}")
    return "; ".join(complaints[:5])
