"""PostgreSQL: tables, sessions and all queries. The only package that uses SQLAlchemy."""
