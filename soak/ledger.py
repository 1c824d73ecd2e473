"""What was done during the soak, what was answered, and what went wrong."""

from __future__ import annotations

import threading
from collections import Counter


class Ledger:
    """Shared by all threads of the load."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._digests: dict[str, str] = {}
        self.done: Counter[str] = Counter()
        self.answers: Counter[int] = Counter()
        self.complaints: list[str] = []

    def count(self, action: str, times: int = 1) -> None:
        with self._lock:
            self.done[action] += times

    def answered(self, status: int) -> None:
        with self._lock:
            self.answers[status] += 1

    def complain(self, complaint: str) -> None:
        """Something that must not happen; the soak fails."""
        print(f"  {complaint}", flush=True)
        with self._lock:
            self.complaints.append(complaint)

    def check_digests(self, digests: dict[str, str]) -> None:
        """Compare digests by run with those of earlier executions of the same runs."""
        with self._lock:
            known = {run: self._digests.setdefault(run, new) for run, new in digests.items()}
            self.done["digests compared"] += len(digests)
        for run, new in digests.items():
            if known[run] != new:
                self.complain(f"run {run[:12]}: digest {new[:12]}, earlier {known[run][:12]}")

    @property
    def runs(self) -> int:
        """How many different runs have succeeded."""
        return len(self._digests)
