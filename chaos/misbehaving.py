"""A campaign whose simulator misbehaves in every way, and whether each run ended as it has to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chaos.fault import Fault
from chaos.misbehaving_simulator import EXPECTED

_SECONDS = 180.0
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


class MisbehavingSimulators(Fault):
    """A second campaign, in which every run misbehaves in another way."""

    name = "simulators misbehave, each in another way"
    every_seconds = 1.0
    lasting = True

    def begin(self) -> None:
        self._seen = 0
        self._id = self.stack.submit(campaign())

    def inject(self) -> int:
        """Number of runs that have ended since the last call."""
        before, self._seen = self._seen, self._ended()
        return self._seen - before

    def revert(self) -> None:
        try:
            self.stack.wait(self._id, _SECONDS)
            runs = self.stack.ask("GET", f"/campaigns/{self._id}/runs", params={"limit": 500})
            self.error = self.error or complaint(runs.json()["runs"])
        finally:
            self.stack.ask("DELETE", f"/campaigns/{self._id}", missing=[404])

    def _ended(self) -> int:
        counts = self.stack.campaign(self._id)["runs"]
        return int(counts["failed"] + counts["succeeded"] + counts["cancelled"])
