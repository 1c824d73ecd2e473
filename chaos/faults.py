"""All faults, and all of them mixed."""

from __future__ import annotations

import threading

from chaos.clocks import JumpingClock, WrongClock
from chaos.engine import KilledEngine
from chaos.fault import Fault, Nothing
from chaos.killed import (
    FrozenWorker,
    KilledApi,
    KilledContainer,
    KilledReconciler,
    KilledSimulator,
    KilledWorker,
)
from chaos.misbehaving import MisbehavingSimulators
from chaos.network import CutOffHost
from chaos.servers import DuplicatedMessages, EmptyRedis, FullDisk, JunkInRedis, RestartedPostgres

FAULTS: tuple[type[Fault], ...] = (
    KilledWorker,
    KilledReconciler,
    KilledSimulator,
    KilledContainer,
    KilledEngine,
    FrozenWorker,
    EmptyRedis,
    JunkInRedis,
    RestartedPostgres,
    KilledApi,
    DuplicatedMessages,
    FullDisk,
    WrongClock,
    CutOffHost,
    JumpingClock,
    MisbehavingSimulators,
)


class Everything(Fault):
    """All FAULTS: the lasting ones throughout, the others one at a time, at random.

    ``injected`` is the sum over all of them.
    """

    name = "all of the above, at random"
    every_seconds = 3.0

    def begin(self) -> None:
        faults = [kind(self.stack, self.chance) for kind in FAULTS]
        self._lasting = [fault for fault in faults if fault.lasting]
        self._momentary = [fault for fault in faults if not fault.lasting]
        for fault in self._lasting:
            fault.begin()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=fault.keep_injecting, args=(self._over,), daemon=True)
            for fault in self._lasting
        ]
        for thread in self._threads:
            thread.start()

    def inject(self) -> int:
        return self.chance.choice(self._momentary).inject()

    def revert(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        for fault in self._lasting:
            fault.revert()
            self.injected += fault.injected
            self.error = self.error or fault.error
            if not fault.injected:
                self.error = self.error or f"it never took effect: {fault.name}"


ALL: tuple[type[Fault], ...] = (Nothing, *FAULTS, Everything)
