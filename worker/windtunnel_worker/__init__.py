"""Workers: Celery rings, PostgreSQL decides, a launcher executes."""
