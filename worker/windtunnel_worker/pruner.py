"""Applies the service's retention policies, a batch at a time."""

from __future__ import annotations

import logging
import time

from windtunnel.retention import Policies
from windtunnel.store import retention
from windtunnel.store.database import Database

log = logging.getLogger(__name__)


class Pruner:
    """Prunes in every worker; a lock in the database lets one of them do so at a time."""

    def __init__(self, database: Database, policies: Policies, interval_seconds: float) -> None:
        self._database = database
        self._policies = policies
        self._interval_seconds = interval_seconds
        self._next_check = 0.0
        self._start: str | None = None

    def round(self) -> None:
        """Remove one batch if it is time. The next one is due at once if there may be more.

        Raises WindtunnelError; the next check is then after the interval.
        """
        if not self._policies.days or time.monotonic() < self._next_check:
            return
        self._next_check = time.monotonic() + self._interval_seconds
        with self._database.transaction() as session:
            batch = retention.prune_batch(session, self._policies, start=self._start)
        self._start = batch.policy
        if batch.pruned:
            removed = batch.pruned
            log.info("pruned %d by the policy %s", removed.count, removed.policy)
        if batch.more:
            self._next_check = 0.0
