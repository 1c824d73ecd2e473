"""The whole service on one machine, without Docker or system services."""
