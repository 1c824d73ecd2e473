"""Live progress: one LISTEN connection per process for any number of viewers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator

import psycopg
from sqlalchemy.engine import make_url

log = logging.getLogger(__name__)

CHANNEL = "windtunnel"
_RECONNECT_SECONDS = 2.0


class EventHub:
    """Wakes viewers when their campaign changes; viewers query the state themselves."""

    def __init__(self, database_url: str) -> None:
        self._conninfo = (
            make_url(database_url)
            .set(drivername="postgresql")
            .render_as_string(hide_password=False)
        )
        self._viewers: dict[str, set[asyncio.Event]] = defaultdict(set)

    async def listen(self) -> None:
        """Listen until cancelled. Reconnects when needed and then wakes every viewer."""
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)
                async with connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self._wake_all()
                    async for notification in connection.notifies():
                        for changed in self._viewers.get(notification.payload, ()):
                            changed.set()
            except psycopg.OperationalError as error:
                log.warning("live events: PostgreSQL is unavailable, reconnecting: %s", error)
                await asyncio.sleep(_RECONNECT_SECONDS)

    async def changes(self, campaign_id: str, at_least_every: float) -> AsyncIterator[None]:
        """Yield immediately, then at every change and at least every ``at_least_every`` seconds."""
        changed = asyncio.Event()
        self._viewers[campaign_id].add(changed)
        try:
            while True:
                yield
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), at_least_every)
                changed.clear()
        finally:
            self._viewers[campaign_id].discard(changed)
            if not self._viewers[campaign_id]:
                del self._viewers[campaign_id]

    def _wake_all(self) -> None:
        for viewers in self._viewers.values():
            for changed in viewers:
                changed.set()
