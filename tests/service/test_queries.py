"""The number of SQL statements is the same for 4 runs and 400."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from tests.conftest import Service, tiny_campaign
from tests.workers import paused
from windtunnel.plan import make_plan
from windtunnel.spec import Document, read_campaign
from windtunnel.spec.description import Description
from windtunnel.store import (
    campaign_search,
    campaigns,
    claims,
    deletion,
    prediction,
    simulators,
    submission,
)
from windtunnel.store.database import Database
from windtunnel.store.tables import Campaign
from windtunnel_api.comparisons import Comparisons, View

SIZES = (4, 400)


@pytest.fixture(scope="module")
def database(service: Service) -> Iterator[Database]:
    database = Database(service.database_url, pool_size=1)
    with paused(service):
        yield database
    database.close()


@contextmanager
def counted(database: Database) -> Iterator[list[str]]:
    statements: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        statements.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield statements
    event.remove(database.engine, "before_cursor_execute", note)


def stored(service: Service, name: str, runs: int) -> str:
    first = 100_000 + 1000 * len(name)
    campaign = tiny_campaign(name, sweep={"offset": list(range(first, first + runs // 4))})
    return str(service.submit({**campaign, "replications": 4})["id"])


READS: dict[str, tuple[int, Callable[[Session, Campaign, Description], Any]]] = {
    # campaigns, and of those that have not ended their cells and the sums over their runs
    "list": (3, lambda session, *_: campaign_search.list_campaigns(session, 100)),
    "campaign": (2, lambda session, campaign, _: campaigns.campaign_status(session, campaign)),
    "runs": (1, lambda session, campaign, _: campaigns.campaign_runs(session, campaign, 500)),
    # version, reported metrics, cells, runs, values
    "comparison": (
        5,
        lambda session, campaign, _: Comparisons().get(session, campaign, View((), False, False)),
    ),
    # quotas, submitters, campaigns, run, its last attempt's end, new attempt, run, campaign,
    # scenario, limits, turn
    "claim": (
        11,
        lambda session, _, description: claims.claim(session, "x", [description.digest], 60),
    ),
}


@pytest.mark.parametrize("name", READS)
def test_reading_and_claiming_use_a_constant_number_of_statements(
    service: Service, database: Database, name: str
) -> None:
    expected, read = READS[name]
    for runs in SIZES:
        campaign_id = stored(service, f"{name} of {runs:03}", runs)
        with database.transaction() as session:
            campaign = campaigns.find_campaign(session, campaign_id)
            description = simulators.find_simulator(session, "tiny")
            with counted(database) as statements:
                read(session, campaign, description)
        assert len(statements) == expected, statements
        service.http.delete(f"/campaigns/{campaign_id}")


def test_submitting_extending_and_deleting_use_a_constant_number_of_statements(
    database: Database, tiny: Description
) -> None:
    """Rows are inserted in batches of a thousand."""
    counts = []
    for runs in SIZES:
        offsets = list(range(200_000, 200_000 + runs // 4))
        document = Document(
            {**tiny_campaign("statements", sweep={"offset": offsets}), "replications": 4}
        )
        campaign = read_campaign(document)
        plan = make_plan(campaign, {"tiny": tiny}, document)
        with database.transaction() as session, counted(database) as statements:
            cost = prediction.Prediction(1, 1, calibrated=False, cell_cpu_seconds=())
            campaign_id = submission.submit(session, plan, cost, "digest").campaign_id
            submitted = len(statements)
            submission.extend(session, campaign_id, 5, 1000)
            extended = len(statements)
            deletion.delete_campaign(session, campaign_id)
        counts.append((submitted, extended - submitted, len(statements) - extended))
    assert counts[0] == counts[1]
