"""Workers: woken by Celery messages, they claim runs in PostgreSQL and execute them."""
