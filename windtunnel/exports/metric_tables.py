"""A comparison as tables of text, one per metric, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.texts import axis_titles, difference, estimate, title


@dataclass(frozen=True)
class Row:
    """A cell: its labels, and what is known of the metric; empty for what is not.

    ``outcome`` is that of the verdict, ``verdict`` its label.
    """

    labels: tuple[str, ...]
    estimate: str
    difference: str
    verdict: str
    outcome: str
    is_baseline: bool


@dataclass(frozen=True)
class MetricTable:
    """``baseline`` is empty if no cell is compared with one. ``seeds`` is the most of any cell."""

    name: str
    title: str
    axes: tuple[str, ...]
    baseline: str
    seeds: int
    rows: tuple[Row, ...]

    @property
    def has_verdicts(self) -> bool:
        return any(row.verdict for row in self.rows)


def metric_tables(comparison: Mapping[str, Any]) -> Iterator[MetricTable]:
    """Tables of the metrics that the comparison shows."""
    axes = comparison["axes"]
    baseline = ", ".join(
        comparison["baseline"][axis] for axis in axes if axis in comparison["baseline"]
    )
    for metric in comparison["metrics"]:
        rows = tuple(
            _row(cell, axes, cell["metrics"][metric["name"]])
            for cell in comparison["cells"]
            if metric["name"] in cell["metrics"]
        )
        compared = any(row.difference for row in rows)
        yield MetricTable(
            name=metric["name"],
            title=title(metric),
            axes=tuple(axis_titles(axes)),
            baseline=baseline if compared else "",
            seeds=max((cell["planned"] for cell in comparison["cells"]), default=0),
            rows=rows,
        )


def _row(cell: Mapping[str, Any], axes: list[str], metric: Mapping[str, Any]) -> Row:
    verdict = metric["verdict"] or {}
    return Row(
        labels=tuple(cell["coordinates"][axis] for axis in axes),
        estimate=estimate(metric, cell["planned"]),
        difference="" if cell["is_baseline"] else difference(metric),
        verdict=verdict.get("label", ""),
        outcome=verdict.get("outcome") or "",
        is_baseline=cell["is_baseline"],
    )
