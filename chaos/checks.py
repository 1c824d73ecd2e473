"""Checks after every fault: each run ended once, with the same bytes, and nothing is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from chaos.stack import Stack, until

_LEFTOVER_SECONDS = 60


@dataclass(frozen=True)
class Results:
    """Digests by cell and seed, and rows of results by cell, seed and table."""

    digests: dict[tuple[int, int], str]
    rows: Counter[tuple[int, int, str]]


@dataclass(frozen=True)
class Account:
    """How many runs a campaign had, and how many attempts they took."""

    runs: int
    attempts: int
    results: Results

    @property
    def lost(self) -> int:
        return self.attempts - self.runs


def account(stack: Stack, campaign_id: str, planned: int) -> Account:
    """Check an ended campaign. Raises AssertionError for the first check that fails."""
    runs = campaign_runs(stack, campaign_id)
    assert len(runs) == planned, f"{len(runs)} runs instead of {planned}"
    bad = [f"{row[2][:12]} {row[3]} {row[4]} {row[5]}" for row in runs if row[3] != "succeeded"]
    assert not bad, "; ".join(bad[:5])
    attempts = check_attempts(stack, campaign_id)
    until(lambda: not leftovers(stack), _LEFTOVER_SECONDS, lambda: "; ".join(leftovers(stack)))
    digests = {(row[0], row[1]): row[6] for row in runs}
    return Account(planned, attempts, Results(digests, _result_rows(stack, campaign_id)))


def campaign_runs(stack: Stack, campaign_id: str) -> list[tuple[int, int, str, str, str, str, str]]:
    """Cell, seed, id, state, failure, message and digest of each run."""
    query = """
        SELECT cell_index, campaign_run.seed_index, run.id, state, failure, message, digest
        FROM campaign_run JOIN run ON run.id = run_id WHERE campaign_id = %s
    """
    with stack.database() as connection:
        return connection.execute(query, (campaign_id,)).fetchall()


def check_attempts(stack: Stack, campaign_id: str, earlier: Collection[str] = ("lost",)) -> int:
    """Number of attempts. Each run's are numbered without a gap and have ended: the last as the
    run did, the others as one of ``earlier``. Raises AssertionError."""
    query = """
        SELECT run.id, run.attempt, run.state,
               array_agg(number ORDER BY number), array_agg(outcome ORDER BY number),
               count(*) FILTER (WHERE attempt.ended_at IS NULL)
        FROM campaign_run JOIN run ON run.id = campaign_run.run_id
        JOIN attempt ON attempt.run_id = run.id
        WHERE campaign_id = %s GROUP BY run.id
    """
    with stack.database() as connection:
        rows = connection.execute(query, (campaign_id,)).fetchall()
    for run_id, last, state, numbers, outcomes, not_ended in rows:
        assert numbers == list(range(1, last + 1)), f"{run_id[:12]}: attempts {numbers} of {last}"
        assert outcomes[-1] == state, f"{run_id[:12]}: {state}, attempts {outcomes}"
        assert set(outcomes[:-1]) <= set(earlier), f"{run_id[:12]}: {outcomes}"
        assert not_ended == 0, f"{run_id[:12]}: an attempt without an end"
    return sum(row[1] for row in rows)


def _result_rows(stack: Stack, campaign_id: str) -> Counter[tuple[int, int, str]]:
    """How many rows of results each run has, by cell, seed and table."""
    counts: Counter[tuple[int, int, str]] = Counter()
    for table in ("metric", "series", "record_column", "run_check"):
        query = f"""
            SELECT cell_index, seed_index, count(*) FROM campaign_run
            JOIN {table} ON {table}.run_id = campaign_run.run_id
            WHERE campaign_id = %s GROUP BY cell_index, seed_index
        """
        with stack.database() as connection:
            for cell, seed, count in connection.execute(query, (campaign_id,)).fetchall():
                counts[cell, seed, table] = count
    return counts


def leftovers(stack: Stack) -> list[str]:
    """Containers and leases that are still there; a process ends with its container."""
    left = [f"container {container[:12]}" for container in stack.simulations()]
    queries = {
        "run with a lease": "SELECT id FROM run WHERE lease_owner IS NOT NULL",
        "run that has not ended": "SELECT id FROM run WHERE state IN ('queued', 'running')",
        "attempt without an end": "SELECT run_id FROM attempt WHERE ended_at IS NULL",
    }
    with stack.database() as connection:
        for what, query in queries.items():
            left += [f"{what}: {row[0][:12]}" for row in connection.execute(query).fetchall()]
    return left
