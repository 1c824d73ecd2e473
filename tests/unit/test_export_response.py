"""Exports end for clients that stopped reading."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from starlette.types import Message

from windtunnel_api.export_slots import ExportResponse, ExportSlots


def test_a_client_that_takes_nothing_loses_its_slot() -> None:
    async def scenario() -> None:
        slots = ExportSlots(count=1, wait_seconds=5)
        await slots.acquire()
        response = ExportResponse(iter([b"x"] * 3))
        response.slots = slots
        response.stall_seconds = 0.05
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) == 3:
                await asyncio.sleep(60)  # a full buffer

        async def receive() -> Message:
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        with pytest.RaisesGroup(TimeoutError, flatten_subgroups=True, allow_unwrapped=True):
            await response({"type": "http"}, receive, send)
        await slots.acquire()

    asyncio.run(scenario())


def test_a_slow_client_gets_everything() -> None:
    async def scenario() -> list[bytes]:
        slots = ExportSlots(count=1)
        await slots.acquire()

        def chunks() -> Iterator[bytes]:
            yield from (b"a", b"b", b"c")

        response = ExportResponse(chunks())
        response.slots = slots
        response.stall_seconds = 5
        got: list[bytes] = []

        async def send(message: Message) -> None:
            await asyncio.sleep(0.01)
            got.append(message.get("body", b""))

        async def receive() -> Message:
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        await response({"type": "http"}, receive, send)
        return got

    assert b"".join(asyncio.run(scenario())) == b"abc"
