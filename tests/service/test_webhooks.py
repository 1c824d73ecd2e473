"""Webhooks of real campaigns, sent by a real worker to a real HTTP server."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from tests.commands import windtunnel
from tests.conftest import Service, start_service, tiny_campaign
from tests.docs.blocks import block
from tests.service.test_reconciler import reconcilers, worker
from tests.webhook_receiver import Received, Receiver, receiving
from windtunnel.store.database import Database
from windtunnel.store.tables import WebhookDelivery

SECRET = "a secret of the lab"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(
        webhook_secret=SECRET,
        webhook_allow_private="1",
        public_url="https://windtunnel.example/",
        max_runs="8",
        reconcile_seconds="0.5",
        lease_seconds="4",
    )


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


def notifying(receiver: Receiver, **changes: Any) -> dict[str, Any]:
    return {**tiny_campaign("hooked", **changes), "notify": {"url": receiver.url()}}


def webhook_of(service: Service, campaign: dict[str, Any]) -> dict[str, Any]:
    webhook: dict[str, Any] = service.get(f"/campaigns/{campaign['id']}")["webhook"]
    return webhook


def until_state(service: Service, campaign: dict[str, Any], state: str) -> dict[str, Any]:
    reached: dict[str, Any] = service.until(
        lambda: webhook_of(service, campaign), lambda webhook: webhook["state"] == state
    )
    return reached


def change(database: Database, campaign: dict[str, Any], **values: Any) -> None:
    with database.transaction() as session:
        mine = WebhookDelivery.campaign_id == campaign["id"]
        session.execute(update(WebhookDelivery).where(mine).values(**values))


def deliveries(requests: list[Received]) -> list[str]:
    return [request.headers["X-Windtunnel-Delivery"] for request in requests]


def test_the_end_of_a_campaign_is_told_once(service: Service, receiver: Receiver) -> None:
    gates = [{"metric": "value", "require": "at least 1 things"}]
    file = {**notifying(receiver, offset=9000, replications=3), "gates": gates}
    campaign = service.submit({**file, "labels": {"branch": "a"}})
    assert campaign["state"] == "planned"
    assert webhook_of(service, campaign) is None
    (request,) = receiver.wait(1)
    names: dict[str, Any] = {}
    exec(block("docs/webhooks.md", "import hashlib").text, names)
    header = request.headers["X-Windtunnel-Signature"]
    assert names["is_authentic"](header, request.body, SECRET)
    assert not names["is_authentic"](header, request.body + b" ", SECRET)
    message = json.loads(request.body)
    documented = json.loads(block("docs/webhooks.md", "{").text)
    assert message.keys() == documented.keys()
    assert message["campaign"].keys() == documented["campaign"].keys()
    assert (message["event"], message["gates"]) == ("campaign.ended", "passed")
    assert message["campaign"] == {
        "id": campaign["id"], "name": "hooked", "labels": {"branch": "a"}, "state": "ended",
        "superseded_by": None,
        "runs": {"queued": 0, "running": 0, "succeeded": 3, "failed": 0, "cancelled": 0},
        "link": f"https://windtunnel.example/campaigns/{campaign['id']}",
    }  # fmt: skip
    webhook = until_state(service, campaign, "delivered")
    assert (webhook["attempts"], webhook["last_error"]) == (1, "")
    assert webhook["url"] == receiver.url()
    shown = windtunnel("status", campaign["id"], "--server", service.url).stdout
    assert f"webhook {receiver.url()}: delivered 20" in shown.replace("\n", " ")
    # What is idempotent ends nothing again.
    service.http.post(f"/campaigns/{campaign['id']}/cancel")
    service.http.post(f"/campaigns/{campaign['id']}/resume")
    service.http.post(f"/campaigns/{campaign['id']}/replications", json={"replications": 4})
    assert len(set(deliveries(receiver.wait(2)))) == 2
    service.wait(service.submit(tiny_campaign(offset=9001))["id"])
    assert len(receiver.requests) == 2


def test_gates_against_a_campaign_that_is_not_there_have_failed(
    service: Service, receiver: Receiver
) -> None:
    gates = [{"metric": "value", "require": "better", "against": "label:branch=nowhere"}]
    service.submit({**notifying(receiver, offset=9100, replications=3), "gates": gates})
    (request,) = receiver.wait(1)
    assert json.loads(request.body)["gates"] == "failed"


def test_no_gate_asks_for_more_runs_than_are_allowed(service: Service, receiver: Receiver) -> None:
    """Two cells of four seeds; differences without spread are decided by eight, which are not."""
    grid = {"sweep": {"offset": [9110, 9120]}, "baseline": {"offset": 9110}, "modulus": 7}
    gate = {"metric": "value", "require": "equivalent within 15 things", "inconclusive": "extend"}
    file = {**notifying(receiver, **grid, replications=4), "gates": [gate]}
    campaign = service.submit(file)
    (request,) = receiver.wait(1)
    status = service.get(f"/campaigns/{campaign['id']}/gates")["status"]
    assert (status, json.loads(request.body)["gates"]) == ("failed", "failed")


def test_a_campaign_without_new_runs_ends_at_once(service: Service, receiver: Receiver) -> None:
    service.wait(service.submit(tiny_campaign(offset=9010))["id"])
    reusing = service.submit(notifying(receiver, offset=9010))
    assert reusing["ended"]
    assert json.loads(receiver.wait(1)[0].body)["campaign"]["id"] == reusing["id"]


def test_cancelled_and_superseded_campaigns_are_told(service: Service, receiver: Receiver) -> None:
    file = {**notifying(receiver, offset=9020, wall=60), "labels": {"branch": "a"}}
    first = service.submit(file)
    params = {"supersede": "branch"}
    second = service.http.post("/campaigns", json=file, params=params).json()
    assert second["superseded"] == [first["id"]]
    superseded = json.loads(receiver.wait(1)[0].body)
    assert superseded["event"] == "campaign.cancelled"
    assert superseded["campaign"]["superseded_by"] == second["id"]
    assert superseded["gates"] is None
    for _ in range(2):
        service.http.post(f"/campaigns/{second['id']}/cancel")
    cancelled = json.loads(receiver.wait(2)[1].body)["campaign"]
    assert (cancelled["id"], cancelled["state"]) == (second["id"], "cancelled")
    until_state(service, second, "delivered")
    assert len(receiver.requests) == 2


def test_refused_deliveries_are_repeated_with_growing_pauses(
    service: Service, receiver: Receiver, database: Database
) -> None:
    receiver.status = 503
    campaign = service.submit(notifying(receiver, offset=9030))

    def pause(attempts: int) -> float:
        """Seconds between the attempt and the next, as planned after so many attempts."""
        webhook = service.until(
            lambda: webhook_of(service, campaign),
            lambda shown: shown and shown["attempts"] == attempts and shown["last_error"],
        )
        assert (webhook["state"], webhook["last_error"]) == ("retrying", "answered 503")
        with database.transaction() as session:
            row = session.scalars(
                select(WebhookDelivery).where(WebhookDelivery.campaign_id == campaign["id"])
            ).one()
            now = session.scalar(select(func.now()))
            assert row.next_attempt_at is not None
            assert now is not None
            return float((row.next_attempt_at - now).total_seconds())

    assert 7 < pause(1) <= 12.5
    change(database, campaign, next_attempt_at=func.now(), last_error="")
    assert 17 < pause(2) <= 25
    change(database, campaign, next_attempt_at=func.now(), last_error="", attempts=11)
    assert 3500 < pause(12) <= 4500
    shown = windtunnel("status", campaign["id"], "--server", service.url).stdout
    assert "retrying after 12 attempts: answered 503" in shown.replace("\n", " ")
    receiver.status = 200
    change(database, campaign, next_attempt_at=func.now())
    until_state(service, campaign, "delivered")
    assert len(set(deliveries(receiver.requests))) == 1
    assert len({request.body for request in receiver.requests}) == 1


def test_a_delivery_is_given_up_after_a_day(
    service: Service, receiver: Receiver, database: Database
) -> None:
    receiver.status = 500
    campaign = service.submit(notifying(receiver, offset=9040))
    receiver.wait(1)
    until_state(service, campaign, "retrying")
    day_ago = func.now() - timedelta(hours=24, seconds=1)
    change(database, campaign, next_attempt_at=func.now(), created_at=day_ago)
    webhook = until_state(service, campaign, "given_up")
    assert (webhook["attempts"], webhook["next_attempt_at"]) == (2, None)


def test_a_sender_killed_before_it_stores_the_outcome_sends_again(
    service: Service, receiver: Receiver, database: Database
) -> None:
    """The receiver has the request, and then the process that sent it is killed."""

    def kill() -> None:
        (pid,) = reconcilers(worker(service).pid)
        os.kill(pid, signal.SIGKILL)
        receiver.before_answer = lambda: None

    receiver.before_answer = kill
    campaign = service.submit(notifying(receiver, offset=9050))
    receiver.wait(1)
    assert webhook_of(service, campaign)["state"] == "waiting"
    change(database, campaign, next_attempt_at=func.now())  # the claim holds for a minute
    first, second = receiver.wait(2)
    assert until_state(service, campaign, "delivered")["attempts"] == 2
    assert first.headers["X-Windtunnel-Delivery"] == second.headers["X-Windtunnel-Delivery"]
    assert first.body == second.body


def test_deleting_a_campaign_deletes_its_deliveries(
    service: Service, receiver: Receiver, database: Database
) -> None:
    receiver.status = 500
    campaign = service.submit(notifying(receiver, offset=9060))
    until = lambda: webhook_of(service, campaign)  # noqa: E731
    service.until(until, lambda webhook: webhook is not None and webhook["last_error"])
    assert service.http.delete(f"/campaigns/{campaign['id']}").status_code == 204
    with database.transaction() as session:
        mine = WebhookDelivery.campaign_id == campaign["id"]
        assert session.scalars(select(WebhookDelivery).where(mine)).all() == []
