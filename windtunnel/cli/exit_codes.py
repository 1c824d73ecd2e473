"""Exit codes of the command, documented in docs/errors.md."""

from __future__ import annotations

ANSWER_IS_NO = 1  # a gate failed, a verification found a difference
USAGE = 2
INFRASTRUCTURE = 3
RUNS_MISSING = 4
INTERRUPTED = 130
