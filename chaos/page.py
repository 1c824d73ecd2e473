"""The results as a table: one line per fault on the terminal, and docs/reliability.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chaos.checks import Results
from chaos.faults import FAULTS
from tools.sections import write_section


@dataclass(frozen=True)
class Row:
    """The result of one fault; an empty complaint means that every check passed."""

    fault: str
    injected: int
    runs: int
    lost_attempts: int
    seconds: float
    complaint: str
    results: Results | None


def text_row(row: Row) -> str:
    """One line for a terminal."""
    verdict = row.complaint or "each run once, same digests, nothing left"
    return (
        f"{row.fault:<58} {row.injected:>5} injected {row.runs:>5} runs "
        f"{row.lost_attempts:>4} attempts lost {row.seconds:>6.0f} s   {verdict}"
    )


def table(rows: Sequence[Row]) -> str:
    """The results as a Markdown table."""
    lines = [
        (
            "| fault | injected | runs | attempts lost | seconds "
            "| each run once, same digests, nothing left |"
        ),
        "|---|---:|---:|---:|---:|---|",
    ]
    lines += [
        f"| {row.fault} | {row.injected} | {row.runs} | {row.lost_attempts} | {row.seconds:.0f} | "
        f"{row.complaint or 'yes'} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def write(rows: Sequence[Row], runs: int, mixed_seconds: float) -> None:
    """Write the table into docs/reliability.md."""
    intro = (
        f"{len(FAULTS)} faults. Campaigns of {runs} runs, two workers with two slots each; the "
        f"last line repeats the campaign for {mixed_seconds:g} s.\n\n"
    )
    write_section("reliability.md", "make chaos", intro + table(rows).rstrip())
