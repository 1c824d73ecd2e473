"""What a fault is. It is injected repeatedly until it is stopped, and then reverted."""

from __future__ import annotations

import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import psycopg
import redis

from chaos.stack import Stack

_FIRST_SECONDS = 2.0
# Compose services that execute runs; the second one, whose clock is off, runs for WrongClock only.
WORKERS = ("worker", "worker-off")
# A server that restarts, a container that has ended, a service without a running container.
GONE = (RuntimeError, OSError, ValueError, redis.RedisError, psycopg.Error)


class Fault(ABC):
    """One kind of fault; ``injected`` counts how often it took effect.

    A ``lasting`` fault is active from begin() to revert(), the others at each inject().
    """

    name = ""
    every_seconds = 3.0
    lasting = False

    def __init__(self, stack: Stack, chance: random.Random) -> None:
        self.stack = stack
        self.chance = chance
        self.injected = 0
        self.error = ""

    def begin(self) -> None:  # noqa: B027  (most need nothing)
        """Before the campaign is submitted."""

    @abstractmethod
    def inject(self) -> int:
        """Inject the fault once; how many targets it took effect on."""

    def revert(self) -> None:  # noqa: B027
        """Undo lasting effects, after the campaign."""

    def submit(self, campaign: Mapping[str, Any]) -> str:
        """Submit the campaign; a fault may disturb the submission."""
        return self.stack.submit(campaign)

    def keep_injecting(self, over: threading.Event) -> None:
        """Inject at random times until ``over`` is set, skipping targets that have just gone away.

        Any other exception ends the injection and is kept as ``error``.
        """
        pause = min(_FIRST_SECONDS, self.every_seconds)
        while not over.wait(pause * self.chance.uniform(0.5, 1.5)):
            pause = self.every_seconds
            try:
                hit = self.inject()
            except GONE:
                continue
            except Exception as error:  # a thread's exception would be lost
                self.error = repr(error)
                return
            self.injected += hit


class Nothing(Fault):
    """The undisturbed campaign."""

    name = "none"
    every_seconds = 3600.0

    def inject(self) -> int:
        return False
