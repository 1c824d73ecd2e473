"""What workers, the API and the database expect of each other."""

from __future__ import annotations

# Raise it, with a migration that stores it, whenever a worker of the earlier version would misread
# the database or write what the new version misreads.
PROTOCOL = 4
