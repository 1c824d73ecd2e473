"""The fault of the network between two worker hosts."""

from __future__ import annotations

import contextlib
import time

from chaos.fault import Fault
from chaos.second_host import SecondHost
from chaos.stack import until

_LEFTOVER_SECONDS = 60


class CutOffHost(Fault):
    """One worker is on this host, one on another, which is cut off past its leases, then is back.

    Counted if it executed a run then. That run is claimed here meanwhile, and its late result is
    refused.
    """

    name = "a worker host is cut off (packets dropped), then is back"
    every_seconds = 5.0
    lasting = True
    cut_seconds = 9.0

    def begin(self) -> None:
        self._hosts = contextlib.ExitStack()
        try:
            self._second = self._hosts.enter_context(SecondHost())
            self._second.start_engine()
            self._second.join(self.stack)
            self.stack.up("--scale", "worker=1", "worker")
        except BaseException:
            self._hosts.close()
            raise

    def inject(self) -> int:
        until(lambda: bool(self._second.simulations()), self.every_seconds, lambda: "it is idle")
        self._second.cut_off()
        try:
            time.sleep(self.cut_seconds)
        finally:
            self._second.reconnect()
        return True

    def revert(self) -> None:
        with self._hosts:
            self.stack.up("--scale", "worker=2", "worker")
            try:
                until(
                    lambda: not self._second.simulations(),
                    _LEFTOVER_SECONDS,
                    lambda: "a simulation is left on the other host",
                )
            finally:
                self._second.compose("down", check=False)
