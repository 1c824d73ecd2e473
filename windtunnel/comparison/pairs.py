"""Cells beside their baselines: which values can be compared, and how they are paired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.comparison.table import CellResults, Design
from windtunnel.comparison.verdicts import EXACT, INCOMPLETE, Evidence
from windtunnel.spec.description import Metric
from windtunnel.statistics import Moments, moments


@dataclass(frozen=True)
class Pair:
    """A cell and the one that it is compared with.

    ``same_traffic``: whether all shared seeds gave both the same traffic, so that values are paired
    by seed; None without a shared seed.
    """

    cell: CellResults
    other: CellResults
    same_traffic: bool | None

    @classmethod
    def of(cls, cell: CellResults, other: CellResults) -> Pair:
        return cls(cell, other, _same_traffic(cell, other))

    @classmethod
    def with_baseline(cls, cell: CellResults, baseline: CellResults) -> Pair:
        """As `of`, made once for the same two cells."""
        return cell.remembered("baseline", (baseline,), lambda: cls.of(cell, baseline))

    @property
    def exact(self) -> bool:
        """Whether neither cell depends on the seed: there is nothing to infer."""
        return self.cell.deterministic and self.other.deterministic

    def samples(self, metric: Metric) -> Moments | None:
        """Moments of both cells' values of a metric; None if there is nothing to compare yet."""
        values = self.values(metric)
        if values is None:
            return None
        exact = self.cell.deterministic, self.other.deterministic
        if self.same_traffic:
            return moments(*values, paired=True)
        return moments(*values, paired=False, exact=exact)

    def values(self, metric: Metric) -> tuple[list[float], list[float]] | None:
        """Both cells' independent values, in the order of seeds if they are paired."""
        x, y = (comparable_values(cell, metric) for cell in (self.cell, self.other))
        if not x or not y or self.same_traffic is None:
            return None
        if not self.same_traffic:
            x = independent(x, self.cell.deterministic)
            y = independent(y, self.other.deterministic)
            return list(x.values()), list(y.values())
        if x.keys() != y.keys():
            x = {seed: x[seed] for seed in x if seed in y}
        # If neither cell depends on the seed there is one pair, not n equal ones.
        x = independent(x, self.exact)
        return (list(x.values()), [y[seed] for seed in x]) if x else None

    def evidence(self, metric: Metric, samples: Moments | None, design: Design) -> Evidence:
        """What a verdict on a metric is based on, or the obstacle to one."""
        threshold = design.threshold(metric)
        for cell in (self.cell, self.other):
            if not design.measures(cell.simulator, metric.name):
                reason = f"not measured by {cell.simulator.name}"
                return Evidence(metric.direction, threshold, None, reason)
            unit = cell.units.get(metric.name, metric.unit)
            if unit != metric.unit:
                reason = f"reported in {unit!r}, not in {metric.unit!r}"
                return Evidence(metric.direction, threshold, None, reason)
        lacking = self._lacking(metric)
        if lacking:
            return Evidence(metric.direction, threshold, samples, lacking, INCOMPLETE)
        if self.exact:
            reason = "deterministic: an exact difference, not an estimate"
            return Evidence(metric.direction, threshold, samples, reason, EXACT)
        if samples is None or samples.contrast().degrees_of_freedom is None:
            reason = "a single replication has no interval"
            return Evidence(metric.direction, threshold, samples, reason)
        return Evidence(metric.direction, threshold, samples)

    def _lacking(self, metric: Metric) -> str:
        """Which planned runs have no value, as a reason; empty if none.

        Seeds that only one of two paired cells was planned with are not used, and not missed.
        """
        for cell, other in ((self.cell, self.other), (self.other, self.cell)):
            if self.same_traffic and len(comparable_values(cell, metric)) == len(cell.runs):
                continue
            planned = set(cell.runs)
            if self.same_traffic is not False:
                planned &= set(other.runs)
            values = planned & set(comparable_values(cell, metric))
            if not planned:
                return "no seed in common with the baseline"
            if values != planned:
                owner = "" if cell is self.cell else "the baseline: "
                return f"incomplete: {owner}{len(values)} of {len(planned)} runs have a value"
        return ""


def comparable_values(cell: CellResults, metric: Metric) -> Mapping[int, float]:
    """Values by seed in the metric's own unit."""
    if cell.units.get(metric.name, metric.unit) != metric.unit:
        return {}
    return cell.values.get(metric.name, {})


def independent(values: Mapping[int, float], deterministic: bool) -> Mapping[int, float]:
    """The independent observations: only one if the seed has no effect."""
    if not deterministic or not values:
        return values
    first = min(values)
    return {first: values[first]}


def _same_traffic(cell: CellResults, other: CellResults) -> bool | None:
    runs, other_runs = cell.finished, other.finished
    shared = [seed for seed in runs if seed in other_runs]
    if not shared:
        return None
    return all(
        runs[seed].schedule and runs[seed].schedule == other_runs[seed].schedule for seed in shared
    )
