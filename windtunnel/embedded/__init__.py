"""The complete service on one machine, without Docker or system services."""
