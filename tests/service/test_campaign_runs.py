"""What a campaign consists of: the grid of its runs, its failures, its file."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import yaml
from sqlalchemy import delete, text, update

from tests.conftest import Service, tiny_campaign
from windtunnel.store import campaigns, failures, run_grid
from windtunnel.store.database import Database
from windtunnel.store.tables import Campaign, CampaignRun, Run


@pytest.fixture(scope="module")
def mixed(service: Service) -> dict[str, Any]:
    """Three cells with two seeds: one fails, two succeed."""
    sweep = {"outcome": [{"label": "fails", "misbehave": "crash"}, {"label": "1", "offset": 1},
                         {"label": "2", "offset": 2}]}  # fmt: skip
    return service.wait(service.submit(tiny_campaign("mixed", sweep=sweep, replications=2))["id"])


def test_the_grid_has_a_letter_per_cell_and_seed(service: Service, mixed: dict[str, Any]) -> None:
    response = service.http.get(f"/campaigns/{mixed['id']}/grid")
    assert response.json() == {
        "cells": 3,
        "replications": 2,
        "coordinates": [{"outcome": "fails"}, {"outcome": "1"}, {"outcome": "2"}],
        "planned": [2, 2, 2],
        "states": ["ff", "ss", "ss"],
    }
    headers = {"If-None-Match": response.headers["etag"]}
    assert service.http.get(f"/campaigns/{mixed['id']}/grid", headers=headers).status_code == 304


def test_pruned_runs_and_seeds_of_other_cells_are_gaps(
    service: Service, database: Database, mixed: dict[str, Any]
) -> None:
    with database.transaction() as session:
        campaign = campaigns.find_campaign(session, mixed["id"])
        session.execute(
            delete(CampaignRun).where(
                CampaignRun.campaign_id == campaign.id,
                CampaignRun.seed_index == 1,
                CampaignRun.cell_index > 0,
            )
        )
        session.execute(  # as a growing cell
            update(CampaignRun)
            .where(
                CampaignRun.campaign_id == campaign.id,
                CampaignRun.seed_index == 2,
                CampaignRun.cell_index == 2,
            )
            .values(seed_index=3)
        )
        grid = run_grid.run_grid(session, campaign)
        session.rollback()
    assert (grid.planned, grid.states) == ([2, 2, 3], ["ff", "-s", "--s"])


def test_runs_of_a_cell_and_of_a_seed(service: Service, mixed: dict[str, Any]) -> None:
    def places(**parameters: int) -> list[tuple[int, int]]:
        rows = service.get(f"/campaigns/{mixed['id']}/runs", **parameters)["runs"]
        return [(row["cell_index"], row["seed_index"]) for row in rows]

    assert places(cell=1) == [(1, 1), (1, 2)]
    assert places(seed=2) == [(0, 2), (1, 2), (2, 2)]
    assert places(cell=2, seed=1) == [(2, 1)]
    assert places(cell=3) == []
    refused = service.http.get(f"/campaigns/{mixed['id']}/runs", params={"cell": -1})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "query.cell")


def test_failures_are_grouped(service: Service, mixed: dict[str, Any]) -> None:
    (group,) = service.get(f"/campaigns/{mixed['id']}/failures")["groups"]
    runs = [run["id"] for run in service.runs(mixed["id"]) if run["cell_index"] == 0]
    assert (group["failure"], group["count"], group["cell_count"]) == ("sim_crashed", 2, 1)
    assert (group["cells"], group["runs"], group["example_run"]) == ([0], runs, runs[0])
    assert group["log_tail"] == "Traceback: the model exploded at step 17"
    assert "the model exploded at step 17" in group["message"]


def test_messages_that_differ_in_numbers_are_one_group(
    service: Service, database: Database, mixed: dict[str, Any]
) -> None:
    messages = ["at 0x7ffe12 after 1.5e-3 s", "at 0x55ab after 20 s", "at 0x1 after some s"]
    with database.transaction() as session:
        ids = [run["id"] for run in service.runs(mixed["id"])][:3]
        for id_, message in zip(ids, messages, strict=True):
            values = {"state": "failed", "failure": "stalled", "message": message}
            session.execute(update(Run).where(Run.id == id_).values(values))
        groups = failures.failure_groups(session, campaigns.find_campaign(session, mixed["id"]))
        session.rollback()
    stalled = [(group.count, group.message) for group in groups if group.failure == "stalled"]
    assert stalled == [(2, messages[0]), (1, messages[2])]


def test_the_file_is_returned_byte_for_byte(service: Service, database: Database) -> None:
    document = tiny_campaign("a file", offset=77)
    content = ("# a comment, äöü\r\n" + yaml.safe_dump(document) + "\n\n").encode()
    headers = {"Content-Type": "application/yaml"}
    accepted = service.http.post("/campaigns", content=content, headers=headers).json()
    path = f"/campaigns/{accepted['id']}/file"
    response = service.http.get(path)
    assert response.content == content
    assert response.headers["content-type"].startswith("text/yaml")
    assert response.headers["content-disposition"] == 'attachment; filename="a-file.yaml"'
    with database.transaction() as session:  # one of an earlier version
        session.get_one(Campaign, accepted["id"]).file = None
    assert yaml.safe_load(service.http.get(path).content) == document
    service.wait(accepted["id"])


def test_a_json_file_stays_json(service: Service) -> None:
    content = json.dumps(tiny_campaign("as-json", offset=78), indent=3).encode()
    headers = {"Content-Type": "application/json"}
    accepted = service.http.post("/campaigns", content=content, headers=headers).json()
    response = service.http.get(f"/campaigns/{accepted['id']}/file")
    assert response.content == content
    assert response.headers["content-type"] == "application/json"
    assert response.headers["content-disposition"].endswith('filename="as-json.json"')
    service.wait(accepted["id"])


def test_the_grid_of_many_runs_is_quick(service: Service, database: Database) -> None:
    """20,000 runs: well below a second on a busy machine."""
    copied = "INSERT INTO campaign_run (campaign_id, cell_index, seed_index, run_id,"
    campaign = tiny_campaign("large", sweep={"offset": list(range(1000, 1010))})
    id_ = service.wait(service.submit(campaign)["id"])["id"]
    with database.transaction() as session:
        session.execute(
            text(
                f"{copied} simulator_digest, unfinished)"
                " SELECT campaign_id, cell_index, seed, run_id, simulator_digest, unfinished"
                " FROM campaign_run, generate_series(2, 2000) AS seed WHERE campaign_id = :id"
            ),
            {"id": id_},
        )
    begun = time.perf_counter()
    grid = service.get(f"/campaigns/{id_}/grid")
    seconds = time.perf_counter() - begun
    assert [len(states) for states in grid["states"]] == [2000] * 10
    assert seconds < 2
