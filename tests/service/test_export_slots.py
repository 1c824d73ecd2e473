"""The API sends a few exports at a time; a slot is free again however an export ends."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.conftest import Service, tiny_campaign
from windtunnel.errors import UnavailableError
from windtunnel_api.export_slots import SLOTS, ExportSlots


@pytest.fixture(scope="module")
def large(service: Service) -> str:
    """A campaign whose packet delays are more than the buffers of a connection hold."""
    sweep = {"offset": list(range(9000, 9150))}
    id_: str = service.submit(tiny_campaign("large", sweep=sweep, delays=1500))["id"]
    assert service.wait(id_, 180)["runs"]["succeeded"] == 150
    return id_


def test_others_wait_and_are_told_to_retry(service: Service, large: str) -> None:
    url = f"/campaigns/{large}/export"
    headers = {"Accept-Encoding": "identity"}
    params = {"what": "packet-delays"}
    with contextlib.ExitStack() as stack:
        for _ in range(SLOTS):  # clients that read nothing
            stack.enter_context(
                service.http.stream("GET", url, params=params, headers=headers, timeout=60)
            )
        # What needs no slot is answered at once.
        assert service.http.get(url, params={"metric": "none"}, timeout=5).status_code == 422
        assert service.http.get("/health", timeout=5).status_code == 200
        with pytest.raises(httpx2.ReadTimeout):  # gone before the first byte
            service.http.get(url, timeout=1)
        refused = service.http.get(url, timeout=60)
        assert refused.status_code == 503
        assert refused.json()["code"] == "unavailable"
        assert refused.json()["detail"].startswith(f"{SLOTS} exports are being sent already; retry")
        assert int(refused.headers["retry-after"]) > 0
    # All hung up in the middle: many clients get their files, and so do later ones.
    for _ in range(2):
        with ThreadPoolExecutor(12) as clients:
            answers = list(clients.map(lambda _: service.http.get(url, timeout=60), range(12)))
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1


def test_refused_and_unchanged_exports_take_no_slot(service: Service, large: str) -> None:
    url = f"/campaigns/{large}/export"
    etag = service.http.get(url).headers["etag"]
    for _ in range(3 * SLOTS):
        assert service.http.get(url, headers={"If-None-Match": etag}).status_code == 304
        assert service.http.get(url, params={"format": "flent"}).status_code == 409
    assert service.http.get(url, timeout=5).status_code == 200


def test_a_slot_is_not_lost_to_one_who_gave_up() -> None:
    async def scenario() -> None:
        slots = ExportSlots(count=1, wait_seconds=0.02)
        await slots.acquire()
        for _ in range(3):
            with pytest.raises(UnavailableError, match="1 exports are being sent already"):
                await slots.acquire()
        slots.release()
        await slots.acquire()

    asyncio.run(scenario())
