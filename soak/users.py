"""Users who submit campaigns, change their minds, and delete what they have seen."""

from __future__ import annotations

import random
import secrets
import time
from collections import deque
from typing import Any

import httpx2

from chaos.checks import campaign_runs, check_attempts
from chaos.stack import Stack, ask
from soak import campaigns
from soak.ledger import Ledger

# Each user's newest campaigns are kept, so that the stored amount stays the same.
_KEPT = 3
_CAMPAIGN_SECONDS = 300.0
# How attempts end that are not a run's last: their worker was killed, their campaign cancelled, or
# their run failed before the campaign was resumed.
_EARLIER = frozenset({"lost", "cancelled", "failed"})


class User:
    """One submitter with a token of its own."""

    def __init__(self, stack: Stack, name: str, ledger: Ledger, chance: random.Random) -> None:
        answer = stack.ask("POST", "/tokens", json={"name": name, "scope": "submit"})
        self.token = str(answer.json()["token"])
        self.name = name
        self._stack = stack
        self._ledger = ledger
        self._chance = chance
        self._kept: deque[str] = deque()
        headers = {"Authorization": f"Bearer {self.token}"}
        self.http = httpx2.Client(base_url=stack.http.base_url, headers=headers, timeout=60)

    def act(self) -> None:
        """Submit a campaign, do something to it, look at it when it has ended, delete an old one.

        Raises AssertionError, RuntimeError or TimeoutError if something is wrong.
        """
        kind = self._chance.choice(
            [campaigns.real, campaigns.real, campaigns.synthetic, campaigns.failing]
        )
        campaign = kind(self._chance)
        campaign_id = self._submit(campaign)
        self._kept.append(campaign_id)
        match self._chance.randrange(6):
            case 0:
                self._cancel_and_resume(campaign_id)
            case 1:
                self._extend(campaign_id, campaign)
            case 2 if len(self._kept) > 1:
                self._delete(self._kept.pop())
                return
        self._wait(campaign_id)
        self._check(campaign_id, campaign)
        if self._chance.random() < 0.5:
            self._verify(campaign_id)
        while len(self._kept) > _KEPT:
            self._delete(self._kept.popleft())

    def clean(self) -> None:
        """Delete all its campaigns."""
        while self._kept:
            self._delete(self._kept.popleft())
        self.http.close()

    def _ask(
        self, method: str, path: str, missing: tuple[int, ...] = (), **options: Any
    ) -> httpx2.Response:
        answer = ask(self.http, method, path, missing, **options)
        self._ledger.answered(answer.status_code)
        return answer

    def _submit(self, campaign: dict[str, Any]) -> str:
        """Submit it, sometimes twice with the same key; its id."""
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        answers = [
            self._ask("POST", "/campaigns", json=campaign, headers=headers).json()["id"]
            for _ in range(self._chance.choice([1, 1, 1, 2]))
        ]
        assert len(set(answers)) == 1, f"one Idempotency-Key made the campaigns {answers}"
        self._ledger.count("campaigns submitted")
        return str(answers[0])

    def _cancel_and_resume(self, campaign_id: str) -> None:
        time.sleep(self._chance.uniform(0, 4))
        self._ask("POST", f"/campaigns/{campaign_id}/cancel", missing=(409,))
        time.sleep(self._chance.uniform(0, 2))
        self._ask("POST", f"/campaigns/{campaign_id}/resume", missing=(409,))
        self._ledger.count("campaigns cancelled and resumed")

    def _extend(self, campaign_id: str, campaign: dict[str, Any]) -> None:
        campaign["replications"] += 1
        body = {"replications": campaign["replications"]}
        self._ask("POST", f"/campaigns/{campaign_id}/replications", json=body)
        self._ledger.count("campaigns extended")

    def _delete(self, campaign_id: str) -> None:
        # A repeated request finds it gone.
        self._ask("DELETE", f"/campaigns/{campaign_id}", missing=(404,))
        self._ledger.count("campaigns deleted")

    def _wait(self, campaign_id: str) -> None:
        deadline = time.monotonic() + _CAMPAIGN_SECONDS
        while not (status := self._ask("GET", f"/campaigns/{campaign_id}").json())["ended"]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"campaign {campaign_id} has not ended: {status['runs']}")
            time.sleep(1)

    def _check(self, campaign_id: str, campaign: dict[str, Any]) -> None:
        """Each run has ended once, as it has to, with the digest of its earlier executions."""
        runs = campaign_runs(self._stack, campaign_id)
        cells = 1
        for values in campaign["sweep"].values():
            cells *= len(values)
        planned = cells * campaign["replications"]
        assert len(runs) == planned, f"{campaign_id}: {len(runs)} runs instead of {planned}"
        bad = [row for row in runs if row[3] != "succeeded"]
        expected = campaigns.failing_runs(campaign)
        assert len(bad) == expected, f"{campaign_id}: {len(bad)} failed, not {expected}: {bad[:5]}"
        attempts = check_attempts(self._stack, campaign_id, _EARLIER)
        self._ledger.count("attempts beyond the first", attempts - len(runs))
        self._ledger.check_digests({row[2]: row[6] for row in runs if row[3] == "succeeded"})

    def _verify(self, campaign_id: str) -> None:
        """Verify one run, and wait for the result."""
        params = {"state": "succeeded", "limit": 100}
        runs = self._ask("GET", f"/campaigns/{campaign_id}/runs", params=params).json()["runs"]
        run = self._chance.choice(runs)["id"]
        answer = self._ask("POST", f"/runs/{run}/verify", missing=(409,))
        if answer.status_code == 409:  # no worker has its simulator while they are restarted
            self._ledger.count("verifications refused, without a worker")
            return
        verification = answer.json()["id"]
        deadline = time.monotonic() + _CAMPAIGN_SECONDS
        while True:
            state = self._ask("GET", f"/verifications/{verification}").json()["state"]
            if state not in ("queued", "running"):
                break
            assert time.monotonic() < deadline, f"verification {verification} has not ended"
            time.sleep(1)
        assert state == "identical", f"verification of run {run[:12]}: {state}"
        self._ledger.count("runs verified")
