"""Migrations and table definitions agree."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from tests.conftest import Service
from windtunnel.store.database import Database
from windtunnel.store.tables import Base


def test_migrations_and_tables_agree(service: Service) -> None:
    database = Database(service.database_url)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.close()


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
