"""Exit codes of the command, documented in docs/errors.md."""

from __future__ import annotations

DIFFERENT = 1
USAGE = 2
INFRASTRUCTURE = 3
RUNS_MISSING = 4
INTERRUPTED = 130
