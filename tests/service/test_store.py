"""Migrations and table definitions agree."""

from __future__ import annotations

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import make_url, text

from tests.conftest import ROOT, Service, tiny_campaign
from windtunnel.errors import NotFoundError, UnavailableError
from windtunnel.quotas import UNLIMITED
from windtunnel.store import record_columns, runs
from windtunnel.store.database import Database
from windtunnel.store.tables import Base, Run
from windtunnel_api.problems import error_response
from windtunnel_api.routes.campaigns import _reload


def test_migrations_and_tables_agree(service: Service) -> None:
    database = Database(service.database_url)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.close()


def test_migration_to_designs_leaves_grids_without_one(service: Service) -> None:
    """Revision 0020, on a campaign of the revision before."""
    database = Database(service.database_url)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE without_designs"))
    database.close()
    url = make_url(service.database_url).set(database="without_designs")
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    rendered = url.render_as_string(hide_password=False)
    config.set_main_option("sqlalchemy.url", rendered.replace("%", "%%"))
    command.upgrade(config, "0019")
    earlier = Database(rendered)
    with earlier.engine.begin() as connection:
        connection.execute(text("INSERT INTO submitter (name) VALUES ('') ON CONFLICT DO NOTHING"))
        connection.execute(
            text(
                "INSERT INTO campaign (id, name, document, state, simulators, axes, baseline,"
                " metrics, default_metrics, replications, predicted_events,"
                " predicted_cpu_seconds, reused_runs, request_digest) VALUES"
                " ('1f', 'old', '{}', 'ended', '{}', '[]', '{}', '[]', '[]', 1, 1, 1, 0, 'x')"
            )
        )
    command.upgrade(config, "0020")
    with earlier.engine.connect() as connection:
        assert list(connection.execute(text("SELECT id, design FROM campaign"))) == [("1f", None)]
    command.downgrade(config, "0019")
    with earlier.engine.connect() as connection:
        columns = connection.execute(
            text("SELECT column_name FROM information_schema.columns WHERE table_name = 'campaign'")
        ).scalars()
        assert "design" not in set(columns)
    earlier.close()


def test_migration_to_submitters_keeps_one_open_verification_of_a_run(service: Service) -> None:
    """Revision 0008, on rows that earlier versions could have."""
    database = Database(service.database_url)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE earlier"))
    database.close()
    url = str(make_url(service.database_url).set(database="earlier").render_as_string(False))
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    command.upgrade(config, "0007")
    earlier = Database(url)
    with earlier.transaction() as session:
        for statement in EARLIER_ROWS.split(";"):
            session.execute(text(statement))
    command.upgrade(config, "head")
    with earlier.transaction() as session:
        assert set(session.scalars(text("SELECT name FROM submitter"))) == {"", "alice"}
        assert dict(session.execute(text("SELECT id, submitted_by FROM campaign")).all()) == {
            "c1": "alice", "c2": "",
        }  # fmt: skip
        verifications = session.execute(text("SELECT id, state FROM verification"))
        assert dict(verifications.all()) == {
            "v0": "identical", "v1": "running", "v2": "cancelled", "v3": "cancelled",
        }  # fmt: skip
    earlier.close()


EARLIER_ROWS = """
INSERT INTO scenario (digest, body) VALUES ('s', '{}');
INSERT INTO run (id, scenario_digest, seed_index, simulator_name, simulator_digest, duration_ns,
    predicted_events, state) VALUES ('r', 's', 1, 'tiny', 'd', 1, 1, 'succeeded');
INSERT INTO campaign (id, name, document, state, simulators, axes, baseline, metrics,
    default_metrics, replications, predicted_events, predicted_cpu_seconds, reused_runs,
    request_digest, idempotency_key, submitted_by)
SELECT 'c' || n, 'c', '{}', 'ended', '{}', '[]', '{}', '[]', '[]', 1, 1, 1, 0, '', 'key' || n,
    CASE n WHEN 1 THEN 'alice' END FROM generate_series(1, 2) AS n;
INSERT INTO verification (id, run_id, state, created_at)
SELECT 'v' || n, 'r', (ARRAY['identical', 'running', 'queued', 'running'])[n + 1],
    now() + n * interval '1 s' FROM generate_series(0, 3) AS n
"""


def test_series_are_not_compressed_by_postgresql(service: Service) -> None:
    """Storage is EXTERNAL, because the data is compressed already."""
    database = Database(service.database_url)
    query = text(
        "SELECT attname, attstorage FROM pg_attribute "
        "WHERE attrelid = 'series'::regclass AND attname IN ('data', 'preview')"
    )
    with database.engine.connect() as connection:
        storage = {row.attname: row.attstorage for row in connection.execute(query)}
        assert storage == {"data": "e", "preview": "e"}
    database.close()


def test_one_field_of_many_runs_is_read_without_their_other_fields(service: Service) -> None:
    campaign = service.wait(service.submit(tiny_campaign("columns", replications=3))["id"])
    runs = service.runs(campaign["id"])
    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        values = record_columns.values_by_run(session, [run["id"] for run in runs], "flow", "bytes")
    database.close()
    recorded = {run["id"]: service.get(f"/runs/{run['id']}/flows")["flows"] for run in runs}
    assert values == {
        run_id: [flow["bytes"] for flow in flows] for run_id, flows in recorded.items()
    }


def test_labels_are_stored_once(service: Service) -> None:
    """200 cells with two labels of 100 characters: 30 labels, not 400."""
    sweep = {
        "offset": [{"label": f"{number:a>100}", "offset": number} for number in range(20)],
        "duration": [
            {"label": f"{number:b>100}", "duration": f"{number}ms"} for number in range(1, 11)
        ],
    }
    campaign = service.submit(tiny_campaign("labels", sweep=sweep))
    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        (axes,) = session.execute(
            text("SELECT length(axes::text) FROM campaign WHERE id = :id"), {"id": campaign["id"]}
        ).one()
        (cells,) = session.execute(
            text("SELECT sum(length(cell::text)) FROM cell WHERE campaign_id = :id"),
            {"id": campaign["id"]},
        ).one()
    database.close()
    assert 3000 < axes < 4000
    assert cells < 200 * 250
    page = service.get(f"/campaigns/{campaign['id']}/runs", limit=12)["runs"]
    assert [run["coordinates"] for run in page[9:11]] == [
        {"offset": f"{0:a>100}", "duration": f"{10:b>100}"},
        {"offset": f"{1:a>100}", "duration": f"{1:b>100}"},
    ]
    assert service.get(f"/campaigns/{campaign['id']}")["axes"] == ["offset", "duration"]
    service.http.delete(f"/campaigns/{campaign['id']}")


def test_a_full_pool_is_unavailable_not_an_error(service: Service) -> None:
    database = Database(service.database_url, pool_size=1, pool_timeout=0.1)
    connections = [database.engine.connect() for _ in range(11)]  # ten may overflow
    with pytest.raises(UnavailableError, match="all connections") as caught:
        database.ping()
    response = error_response(caught.value)
    assert (response.status_code, "retry-after" in response.headers) == (503, True)
    for connection in connections:
        connection.close()
    database.close()


def test_what_was_deleted_meanwhile_is_not_found(service: Service) -> None:
    database = Database(service.database_url)
    with pytest.raises(NotFoundError, match="campaign ffffffffff does not exist"):
        _reload(database, "ffffffffff", UNLIMITED)
    with database.transaction() as session, pytest.raises(NotFoundError, match="was deleted"):
        runs.run_spec(session, Run(id="f" * 64, scenario_digest="0" * 64))
    database.close()
