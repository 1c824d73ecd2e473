"""How many exports one process makes at a time: each takes memory while it is sent."""

from __future__ import annotations

import asyncio

from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from windtunnel.errors import UnavailableError

SLOTS = 4
WAIT_SECONDS = 30.0
STALL_SECONDS = 120.0


class ExportSlots:
    """Slots of exports; a request waits for a free one."""

    def __init__(self, count: int = SLOTS, wait_seconds: float = WAIT_SECONDS) -> None:
        self._free = asyncio.Semaphore(count)
        self._count = count
        self._wait_seconds = wait_seconds

    async def acquire(self) -> None:
        """Raises UnavailableError if no slot becomes free in time."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            message = f"{self._count} exports are being sent already; retry in a few seconds"
            raise UnavailableError(message) from None

    def release(self) -> None:
        self._free.release()


class ExportResponse(StreamingResponse):
    """A streamed export that releases its slot once it is sent or its client is gone.

    A client that takes nothing for ``stall_seconds`` is disconnected: it would keep the slot.
    """

    slots: ExportSlots
    stall_seconds = STALL_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(self.stall_seconds):
                await send(message)

        try:
            await super().__call__(scope, receive, send_in_time)
        finally:
            self.slots.release()
