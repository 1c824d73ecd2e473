"""PostgreSQL: tables, sessions and every query. The only place that knows SQLAlchemy."""
