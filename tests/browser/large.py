"""Campaigns of a large installation, whose results are random values put into the database."""

from __future__ import annotations

import httpx2
from sqlalchemy import text

from windtunnel.store.database import Database

CAMPAIGNS = 10_000
CELLS = 1_000
SEEDS = 3
_OFFSETS = list(range(1, CELLS // 5 + 1))
_FILES = {
    "cells": {
        "name": "a thousand cells",
        "simulator": "tiny",
        "scenario": {"duration": "10ms"},
        "sweep": {"offset": _OFFSETS, "modulus": [1, 2, 3, 4, 5]},
        "replications": SEEDS,
        "baseline": {"modulus": 1},
    },
    "runs": {
        "name": "twenty thousand runs",
        "simulator": "tiny",
        "scenario": {"duration": "11ms"},
        "sweep": {"offset": _OFFSETS},
        "replications": 100,
    },
}


def add_large(http: httpx2.Client, database: Database) -> dict[str, str]:
    """A campaign of 1,000 cells, one of 20,000 runs (their ids), and 10,000 copies of the first.

    No worker may claim runs meanwhile. A second call changes nothing but adds two campaigns.
    """
    ids = {}
    for key, campaign in _FILES.items():
        answer = http.post("/campaigns", json=campaign, timeout=120)
        assert answer.status_code == 202, answer.text
        ids[key] = str(answer.json()["id"])
        _end(database, ids[key])
    _copy(database, ids["cells"])
    return ids


def _end(database: Database, campaign_id: str) -> None:
    """All runs of a campaign have succeeded, with random values."""
    with database.transaction() as session:
        session.execute(
            text(
                "INSERT INTO metric (run_id, name, value, unit) "
                "SELECT run_id, 'value', 100 * random(), 'things' FROM campaign_run "
                "WHERE campaign_id = :id ON CONFLICT DO NOTHING"
            ),
            {"id": campaign_id},
        )
        session.execute(
            text(
                "UPDATE run SET state = 'succeeded', digest = id, events = 1000, cpu_seconds = 1, "
                "simulated_ns = duration_ns, lease_owner = NULL, lease_until = NULL, "
                "ended_at = now() "
                "FROM campaign_run WHERE run_id = run.id AND campaign_id = :id"
            ),
            {"id": campaign_id},
        )
        session.execute(text("ANALYZE"))


def _copy(database: Database, campaign_id: str) -> None:
    with database.transaction() as session:
        session.execute(
            text(
                "INSERT INTO campaign SELECT (jsonb_populate_record(campaign, jsonb_build_object("
                "'id', 'c0' || lpad(to_hex(number), 8, '0'), 'name', 'copy ' || number, "
                "'created_at', created_at - number * interval '1 minute'))).* "
                "FROM campaign, generate_series(1, :count) AS number WHERE campaign.id = :id "
                "ON CONFLICT DO NOTHING"
            ),
            {"id": campaign_id, "count": CAMPAIGNS},
        )
        session.execute(text("ANALYZE"))
