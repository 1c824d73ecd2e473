"""A comparison as Markdown (GitHub's tables), one table per metric."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from windtunnel.exports.metric_tables import MetricTable, Row, metric_tables
from windtunnel.exports.origin import Origin

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+|~^$!])")


def markdown_file(origin: Origin, comparison: Mapping[str, Any]) -> Iterator[bytes]:
    """The tables, and below them the notes that explain the figures."""
    lines = [f"# {escaped(origin.name)}", ""]
    if origin.note:
        lines += [f"> {escaped(origin.note)}", ""]
    yield _text(lines)
    for table in metric_tables(comparison):
        yield _text([*_table(table), ""])
    yield _text([f"- {escaped(note)}" for note in comparison["notes"]])


def _table(table: MetricTable) -> Iterator[str]:
    yield f"## {escaped(table.title)}"
    yield ""
    estimate = "1 seed, without an interval" if table.seeds == 1 else "mean ± 95 %"
    headings = [*map(escaped, table.axes), estimate]
    alignments = ["---"] * len(table.axes) + ["---:"]
    if table.baseline:
        headings.append(f"difference to {escaped(table.baseline)}")
        alignments.append("---:")
    if table.has_verdicts:
        headings.append("verdict")
        alignments.append("---")
    yield _line(headings)
    yield _line(alignments)
    for row in table.rows:
        yield _line(_fields(row, table))


def _fields(row: Row, table: MetricTable) -> list[str]:
    fields = [*map(escaped, row.labels), row.estimate]
    if table.baseline:
        fields.append("baseline" if row.is_baseline else row.difference)
    if table.has_verdicts:
        fields.append(row.verdict)
    return fields


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", text)


def _line(fields: list[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
