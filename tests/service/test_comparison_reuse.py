"""What the API reuses of earlier comparisons never shows: a new process answers the same."""

from __future__ import annotations

import httpx2
import pytest

from tests.conftest import Service, second_api, tiny_campaign

VIEWS = ("", "?default=true", "?metric=value", "?metric=value&incomplete=true")


@pytest.fixture
def grid(service: Service) -> str:
    sweep = {"offset": [100, 101, 300, 305], "duration": ["5ms", "7ms"]}
    campaign = tiny_campaign(
        "reuse", sweep=sweep, baseline={"offset": 100}, replications=2, modulus=13
    )
    return str(service.wait(service.submit(campaign)["id"])["id"])


def test_answers_after_changes_are_those_of_a_new_process(service: Service, grid: str) -> None:
    path = f"/campaigns/{grid}/comparison"

    def answers(url: str) -> list[bytes]:
        headers = {"Authorization": f"Bearer {service.running.token}"}
        return [httpx2.get(f"{url}/api/v1{path}{view}", headers=headers).content for view in VIEWS]

    for replications in (3, 5):
        before = answers(service.url)
        assert before == answers(service.url)
        service.http.post(f"/campaigns/{grid}/replications", json={"replications": replications})
        answers(service.url)  # while runs end
        service.wait(grid)
        after = answers(service.url)
        assert after != before
        with second_api(service) as url:
            assert after == answers(url)
