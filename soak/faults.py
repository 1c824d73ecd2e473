"""A mild share of faults. One worker is spared, so that its memory can be followed for an hour."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable

from chaos.fault import GONE
from chaos.servers import EmptyRedis, JunkInRedis
from chaos.stack import Stack, first_process, kill, processes
from soak.ledger import Ledger


class MildFaults:
    """Kills one of the two workers and its reconciler, restarts Redis, writes junk into it."""

    def __init__(self, stack: Stack, victim: str, ledger: Ledger, chance: random.Random) -> None:
        self._stack = stack
        self._victim = victim
        self._ledger = ledger
        self._chance = chance
        self._empty = EmptyRedis(stack, chance)
        self._junk = JunkInRedis(stack, chance)
        self._next = 0

    def inject(self) -> None:
        """The next fault in turn; none if its target has just gone away."""
        faults: list[tuple[str, Callable[[], int]]] = [
            ("workers killed", self._kill_worker),
            ("junk written into Redis", self._junk.inject),
            ("reconcilers killed", self._kill_reconciler),
            ("Redis flushed and restarted", self._empty.inject),
        ]
        name, inject = faults[self._next % len(faults)]
        self._next += 1
        try:
            self._ledger.count(name, int(inject()))
        except GONE:
            return

    def _kill_worker(self) -> bool:
        return kill(first_process(self._victim), signal.SIGKILL)

    def _kill_reconciler(self) -> bool:
        found = processes(self._victim, "windtunnel_worker.reconciler")
        return any(kill(pid) for pid in found[:1])
