"""Alembic's entry: runs the migrations of this folder over one connection."""

from alembic import context
from sqlalchemy import create_engine, pool

from windtunnel.store.tables import Base

url = context.config.get_main_option("sqlalchemy.url")
if not url:
    raise SystemExit("sqlalchemy.url is not set; see docs/development.md")
engine = create_engine(url, poolclass=pool.NullPool)
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)
    with context.begin_transaction():
        # Several processes may start at once; the second finds nothing left to do.
        context.get_context()._ensure_version_table()
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7823465)")
        context.run_migrations()
