"""What is queued, as it was a few seconds ago at most: it is a sum over the whole queue."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from sqlalchemy.orm import Session

from windtunnel.store.prediction import Queue, queue

SECONDS = 5.0


class RecentQueue:
    """Sums up the queue at most every 5 seconds, for all pages of campaigns that are open.

    Requests that find it too old at the same moment each sum it up: none waits for another while
    it holds a connection to the database.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._known: tuple[float, Queue] | None = None

    def get(self, session: Session) -> Queue:
        with self._lock:
            if self._known is not None and self._clock() - self._known[0] < SECONDS:
                return self._known[1]
        began = self._clock()
        current = queue(session)
        with self._lock:
            self._known = began, current
        return current
